// The controls for choosing a file: a drop zone with a file picker, and a field for a URL.
import { useRef, useState } from "preact/hooks";

interface DropZoneProps {
  /** ID of the file input. */
  readonly id: string;
  readonly label: string;
  readonly hint: string;
  /** True if several files can be chosen. @default false */
  readonly isList?: boolean | undefined;
  onFiles(files: readonly File[]): void;
}

export function DropZone({ id, label, hint, isList = false, onFiles }: DropZoneProps) {
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
          id={id}
          type="file"
          multiple={isList}
          aria-describedby={`${id}-hint`}
          onChange={() => {
            take(field.current?.files);
            field.current!.value = "";
          }}
        />
        <strong>{label}</strong> <span>or browse</span>
      </label>
      <p class="small" id={`${id}-hint`}>
        {hint}
      </p>
    </div>
  );
}

interface AddressFieldProps {
  readonly id: string;
  readonly label: string;
  /** Called with the entered text. @returns the reason why the text is rejected; undefined if it is accepted */
  onText(text: string): string | undefined;
}

export function AddressField({ id, label, onText }: AddressFieldProps) {
  const [text, setText] = useState("");
  const [complaint, setComplaint] = useState<string>();
  const field = useRef<HTMLInputElement>(null);
  const submit = (event: Event) => {
    event.preventDefault();
    const address = text.trim();
    if (address === "") return;
    const complaint = onText(address);
    setComplaint(complaint);
    if (complaint !== undefined) return field.current?.focus();
    setText("");
  };
  return (
    <form class="address" onSubmit={submit} noValidate>
      <label for={id}>{label}</label>
      <div class="joined">
        <input
          ref={field}
          id={id}
          type="url"
          placeholder="https://"
          autocomplete="off"
          spellcheck={false}
          value={text}
          aria-invalid={complaint !== undefined}
          aria-describedby={`${id}-complaint`}
          onInput={(event) => {
            setText(event.currentTarget.value);
            setComplaint(undefined);
          }}
        />
        <button type="submit">Add</button>
      </div>
      <p class="complaint" id={`${id}-complaint`} aria-live="polite">
        {complaint}
      </p>
    </form>
  );
}
