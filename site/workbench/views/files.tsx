// The first step: documents that are dropped, named by an address, or brought along by the page.
import { useRef, useState } from "preact/hooks";
import { FileRow } from "./file-row.tsx";
import { type Page, ProblemText, Section } from "./parts.tsx";

const SAMPLES = [
  { name: "field-notes.pdf", title: "PDF" },
  { name: "invitation.docx", title: "Word" },
  { name: "harbor.html", title: "HTML" },
] as const;

export function Files({ page }: { page: Page }) {
  const { state, inputs } = page;
  const operation = state.service?.operations.get(state.path);
  if (operation?.source === "text") return null;
  const several = operation?.source === "several";
  return (
    <Section id="files" number={1} title="Choose files">
      <DropZone onFiles={(files) => inputs.addFiles(files)} />
      {state.inputs.length > 0 && (
        <ol class="files" aria-label={several ? "Files, in the order of the merge" : "Files"}>
          {state.inputs.map((input, index) => (
            <FileRow key={input.key} {...{ page, input, index }} canOrder={several && state.inputs.length > 1} />
          ))}
        </ol>
      )}
      {state.problem?.place === "files" && <ProblemText problem={state.problem} />}
      <Address onAddress={(url) => inputs.addAddress(url)} webPages={operation?.webPages ?? false} />
      <p class="samples">
        <span id="samples-label">Or try a sample:</span>{" "}
        {SAMPLES.map(({ name, title }) => (
          <button type="button" class="chip" key={name} onClick={() => void inputs.addSample(name)}>
            <span class="visually-hidden">Sample </span>
            {title}
          </button>
        ))}
      </p>
    </Section>
  );
}

function DropZone({ onFiles }: { onFiles(files: readonly File[]): void }) {
  const [isOver, setOver] = useState(false);
  const field = useRef<HTMLInputElement>(null);
  const take = (list: FileList | null | undefined) => {
    if (list && list.length > 0) onFiles([...list]);
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: dropping is an addition to the field within
    <div
      class={`drop ${isOver ? "over" : ""}`}
      onDragOver={(event) => {
        if (!event.dataTransfer?.types.includes("Files")) return;
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={(event) => {
        event.preventDefault();
        setOver(false);
        take(event.dataTransfer?.files);
      }}
    >
      <label>
        <input
          ref={field}
          type="file"
          multiple
          aria-describedby="drop-hint"
          onChange={() => {
            take(field.current?.files);
            field.current!.value = "";
          }}
        />
        <strong>Drop files here</strong> <span>or browse</span>
      </label>
      <p class="small" id="drop-hint">
        PDF, Word, Excel, PowerPoint, PostScript, HTML and pictures
      </p>
    </div>
  );
}

function Address({ onAddress, webPages }: { onAddress(url: string): void; webPages: boolean }) {
  const [text, setText] = useState("");
  const submit = (event: Event) => {
    event.preventDefault();
    if (text.trim() === "") return;
    onAddress(text.trim());
    setText("");
  };
  return (
    <form class="address" onSubmit={submit} noValidate>
      <label for="address">{webPages ? "Address of a file or a web page" : "Address of a file"}</label>
      <div class="joined">
        <input
          id="address"
          type="url"
          placeholder="https://"
          autocomplete="off"
          spellcheck={false}
          value={text}
          onInput={(event) => setText(event.currentTarget.value)}
        />
        <button type="submit">Add</button>
      </div>
    </form>
  );
}
