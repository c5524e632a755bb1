// The controls of a form. There is one control for each kind of field.
import type { FormField } from "../../model/operations.ts";
import type { Value } from "../../model/state.ts";
import { Icon } from "../components.tsx";
import { ProfileEditor } from "./profile.tsx";

interface ControlProps {
  readonly id: string;
  readonly field: FormField;
  readonly value: Value;
  /** IDs of the elements that describe the control (`aria-describedby`). */
  readonly described: string;
  readonly isInvalid: boolean;
  change(value: Value): void;
}

/** Maximum number of choices that are shown as radio buttons. More choices are shown as a list. */
const SHOWN_CHOICES = 6;

/** Reports whether a field consists of several controls. It then has a legend instead of a label. */
export const grouped = ({ control, list, words, schema, content }: FormField): boolean =>
  list === true ||
  words !== undefined ||
  content?.isFile === true ||
  (control === "choice" && schema.enum!.length <= SHOWN_CHOICES);

export function Control(props: ControlProps) {
  const { list, words, schema } = props.field;
  if (list && schema.enum) return <Checks {...props} words={schema.enum} />;
  if (list) return <List {...props} />;
  if (words) {
    const checked = String(props.value).split(",");
    const change = (value: Value) => props.change([value].flat().join(","));
    return <Checks {...props} {...{ words, change }} value={checked.map((word) => word.trim())} />;
  }
  switch (props.field.control) {
    case "choice":
      return grouped(props.field) ? <Choices {...props} /> : <Select {...props} />;
    case "switch":
      return <Switch {...props} />;
    case "slider":
      return <Slider {...props} />;
    case "code":
      return props.field.content?.isFile ? (
        <ProfileEditor {...props} text={String(props.value)} />
      ) : (
        <LongText {...props} rows={8} />
      );
    case "file":
      return <SecretFile {...props} />;
    case "lines":
      return <LongText {...props} rows={6} />;
    default:
      return <Text {...props} />;
  }
}

function Choices({ id, field, value, described, change }: ControlProps) {
  return (
    <div class="choices" role="radiogroup" aria-label={field.name} aria-describedby={described}>
      {field.schema.enum!.map((word, index) => (
        <label class="choice" key={word}>
          <input
            type="radio"
            id={index === 0 ? id : `${id}-${index}`}
            name={id}
            value={word}
            checked={value === word}
            // `onClick`, because a click on the selected default must set the value, too: only then is it sent.
            onClick={() => change(word)}
          />
          <span>{word}</span>
        </label>
      ))}
    </div>
  );
}

/** A selection of words. The value has the order of the words. */
function Checks({ id, words, value, described, change }: ControlProps & { readonly words: readonly string[] }) {
  return (
    <div class="choices" aria-describedby={described}>
      {words.map((word, index) => (
        <label class="choice" key={word}>
          <input
            type="checkbox"
            id={index === 0 ? id : `${id}-${index}`}
            checked={value.includes(word)}
            onChange={({ currentTarget: { checked } }) =>
              change(words.filter((one) => (one === word ? checked : value.includes(one))))
            }
          />
          <span>{word}</span>
        </label>
      ))}
    </div>
  );
}

function Select({ id, field, value, described, isInvalid, change }: ControlProps) {
  return (
    <select
      id={id}
      aria-describedby={described}
      aria-invalid={isInvalid}
      value={String(value)}
      onChange={(event) => change(event.currentTarget.value)}
    >
      {value === "" && <option value="">Choose…</option>}
      {field.schema.enum!.map((word) => (
        <option key={word}>{word}</option>
      ))}
    </select>
  );
}

function Switch({ id, value, described, change }: ControlProps) {
  return (
    <input
      id={id}
      type="checkbox"
      role="switch"
      aria-checked={value === "on"}
      class="switch"
      aria-describedby={described}
      checked={value === "on"}
      onChange={(event) => change(event.currentTarget.checked ? "on" : "off")}
    />
  );
}

function Slider({ id, field, value, described, isInvalid, change }: ControlProps) {
  const { name } = field;
  const { minimum: min, maximum: max } = field.schema;
  const number = Number(value);
  return (
    <div class="range">
      <input
        type="range"
        aria-label={`${name}, slider`}
        {...{ min, max }}
        value={Number.isFinite(number) ? number : min}
        onInput={(event) => change(event.currentTarget.value)}
      />
      <input
        id={id}
        inputMode="numeric"
        autocomplete="off"
        aria-describedby={described}
        aria-invalid={isInvalid}
        value={String(value)}
        onInput={(event) => change(event.currentTarget.value)}
      />
    </div>
  );
}

function List({ id, field, value, described, isInvalid, change }: ControlProps) {
  const items = [value].flat();
  const replace = (index: number, ...texts: string[]) => change(items.toSpliced(index, 1, ...texts));
  return (
    <div class="list" aria-describedby={described}>
      {items.map((text, index) => (
        <div class="joined" key={index}>
          <input
            id={index === 0 ? id : `${id}-${index}`}
            aria-label={`${field.name}, number ${index + 1}`}
            aria-invalid={isInvalid}
            autocomplete="off"
            spellcheck={false}
            value={text}
            onInput={(event) => replace(index, event.currentTarget.value)}
          />
          <button type="button" class="quiet" onClick={() => replace(index)}>
            <Icon name="remove" />
            <span class="visually-hidden">Remove number {index + 1}</span>
          </button>
        </div>
      ))}
      <button type="button" class="chip" onClick={() => change([...items, ""])}>
        Add {items.length === 0 ? "a selection" : "another"}
      </button>
    </div>
  );
}

function LongText({ id, rows, value, described, isInvalid, change }: ControlProps & { rows: number }) {
  return (
    <textarea
      id={id}
      rows={rows}
      spellcheck={false}
      aria-describedby={described}
      aria-invalid={isInvalid}
      value={String(value)}
      onInput={(event) => change(event.currentTarget.value)}
    />
  );
}

/** The content of a small file, which stays on the page: it is not uploaded before the request. */
function SecretFile({ id, described, isInvalid, change }: ControlProps) {
  const take = async (file: File | undefined) =>
    change(file ? textOfFile(new Uint8Array(await file.arrayBuffer())) : "");
  return (
    <input
      type="file"
      {...{ id, "aria-describedby": described, "aria-invalid": isInvalid }}
      onChange={(event) => take(event.currentTarget.files?.[0])}
    />
  );
}

/** Returns the text of a file; base64 of a file that is not UTF-8. */
function textOfFile(bytes: Uint8Array<ArrayBuffer>): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""));
  }
}

function Text({ id, field, value, described, isInvalid, change }: ControlProps) {
  const attributes = {
    ...{ id, autocomplete: "off", spellcheck: false, value: String(value) },
    ...{ "aria-describedby": described, "aria-invalid": isInvalid },
    onInput: (event: { readonly currentTarget: HTMLInputElement }) => change(event.currentTarget.value),
  } as const;
  return field.secret ? <input type="password" {...attributes} /> : <input {...attributes} />;
}
