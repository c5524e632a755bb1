// The first step: documents that are dropped, linked by URL, or samples of the page.
import { useEffect, useRef, useState } from "preact/hooks";
import { checkAddress } from "../model/checks.ts";
import { countText } from "../model/format.ts";
import type { Problem } from "../model/problems.ts";
import type { Input } from "../model/state.ts";
import { problemOf, whyUnusable } from "../session/faults.ts";
import { ProblemText, Section, type ViewContext } from "./components.tsx";
import { FileRow } from "./file-row.tsx";

const SAMPLES = [
  { name: "field-notes.pdf", title: "PDF" },
  { name: "invitation.docx", title: "Word" },
  { name: "harbor.html", title: "HTML" },
] as const;

export function Files({ page }: { page: ViewContext }) {
  const { state, inputs } = page;
  const operation = state.service?.operations.get(state.path);
  const several = operation?.input.kind === "several";
  const bad = new Map(
    state.inputs.flatMap((input) => {
      const reason = operation && whyUnusable(operation, input);
      return reason === undefined ? [] : [[input.key, reason] as const];
    }),
  );
  const canOrder = several && state.inputs.length > 1;
  const list = useScrolledList(state.inputs.length);
  if (operation?.input.kind === "text") return null;
  return (
    <Section id="files" number={1} title="Choose files">
      <DropZone onFiles={(files) => inputs.addFiles(files)} />
      {canOrder && (
        <fieldset class="order">
          <legend class="visually-hidden">Order of the files</legend>
          <span class="small">{countText(state.inputs.length, "file")}</span>
          <button type="button" class="chip" onClick={() => inputs.sortByName()}>
            Sort by name
          </button>
          <button type="button" class="chip" onClick={() => inputs.reverse()}>
            Reverse
          </button>
        </fieldset>
      )}
      {state.inputs.length > 0 && (
        <ol ref={list} class="files" aria-label={several ? "Files, in the order of the merge" : "Files"}>
          {state.inputs.map((input, index) => (
            <FileRow key={input.key} {...{ page, input, index, canOrder }} whyUnusable={bad.get(input.key)} />
          ))}
        </ol>
      )}
      {bad.size > 1 && (
        <button type="button" class="chip" onClick={() => inputs.remove(...bad.keys())}>
          Remove the {bad.size} files that cannot be used
        </button>
      )}
      {state.problem?.place === "files" && !isInList(state.problem, state.inputs) && (
        <ProblemText problem={state.problem} />
      )}
      <Address onAddress={(url) => inputs.addAddress(url)} webPages={operation?.input.webPages ?? false} />
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

/** Scrolls a list to its new items. */
function useScrolledList(count: number) {
  const list = useRef<HTMLOListElement>(null);
  const before = useRef(0);
  useEffect(() => {
    if (before.current > 0 && count > before.current) list.current?.scrollTo({ top: list.current.scrollHeight });
    before.current = count;
  }, [count]);
  return list;
}

/** Reports whether an error is shown at its file. */
const isInList = ({ sentence }: Problem, inputs: readonly Input[]): boolean =>
  inputs.some((input) => problemOf(input)?.sentence === sentence);

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
  const [complaint, setComplaint] = useState<string>();
  const field = useRef<HTMLInputElement>(null);
  const submit = (event: Event) => {
    event.preventDefault();
    const address = text.trim();
    if (address === "") return;
    const complaint = checkAddress(address);
    setComplaint(complaint);
    if (complaint !== undefined) return field.current?.focus();
    onAddress(address);
    setText("");
  };
  return (
    <form class="address" onSubmit={submit} noValidate>
      <label for="address">{webPages ? "Address of a file or a web page" : "Address of a file"}</label>
      <div class="joined">
        <input
          ref={field}
          id="address"
          type="url"
          placeholder="https://"
          autocomplete="off"
          spellcheck={false}
          value={text}
          aria-invalid={complaint !== undefined}
          aria-describedby="address-complaint"
          onInput={(event) => {
            setText(event.currentTarget.value);
            setComplaint(undefined);
          }}
        />
        <button type="submit">Add</button>
      </div>
      <p class="complaint" id="address-complaint" aria-live="polite">
        {complaint}
      </p>
    </form>
  );
}
