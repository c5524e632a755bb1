// Defines a request as the generators of code need it: what to send, and the name of the file that comes back.
import { extensionOf } from "../model/format.ts";
import type { FieldKind, Operation } from "../model/operations.ts";

/** An input of a request: a file on the reader's disk, a stored file or an address. */
export interface CallInput {
  readonly kind: "file" | "id" | "url";
  /** File name, id or address. */
  readonly value: string;
  /** Pages of this input, for operations that take one expression for each. */
  readonly pages?: string;
}

export interface Call {
  /** URL of the service, without a slash at the end. */
  readonly baseUrl: string;
  /** Path of the operation, with a leading slash. */
  readonly path: string;
  /** True if the request carries a key. */
  readonly keyed: boolean;
  /** Media type of the answer, which is the file itself. */
  readonly accept: string;
  /** Name of the file that the answer is saved as. */
  readonly saveAs: string;
  readonly files: readonly Entry[];
  /** Fields in the order in which they are sent. */
  readonly texts: readonly Entry[];
  /** The same for the command line, which names inputs by position. */
  readonly command: Command;
}

export interface Command {
  readonly inputs: readonly CallInput[];
  /** A text that is read in place of a file. */
  readonly content?: string;
  /** True if each input has an output of its own, which is named after it. */
  readonly isBatch?: boolean;
  readonly options: readonly Option[];
}

export interface Option extends Entry {
  readonly kind: FieldKind;
}

export interface Entry {
  readonly name: string;
  readonly value: string;
}

export interface CallSettings {
  readonly baseUrl: string;
  readonly keyed: boolean;
  readonly inputs: readonly CallInput[];
  /** Inputs of the command, which takes those of several requests, and converts them by itself. @default inputs */
  readonly operands?: readonly CallInput[];
  /** Values of the fields that are sent; a list has several. */
  readonly values: Readonly<Record<string, string | readonly string[]>>;
}

/** Returns the name of a file that stands for the one that the reader will send. */
const placeholderOf = ({ webPages }: Operation): string => (webPages ? "document.docx" : "document.pdf");

export function callOf(operation: Operation, settings: CallSettings): Call {
  const { baseUrl, keyed, inputs, operands = [], values } = settings;
  const { path, source, orderedBy, perInput, produces, archives } = operation;
  const suffix = source === "several" ? "[]" : "";
  const sent: readonly CallInput[] =
    inputs.length > 0 ? inputs : [{ kind: "file", value: placeholderOf(operation), pages: "all" }];
  const given = source === "text" ? [] : source === "one" ? sent.slice(0, 1) : sent;
  const accept = archives ? "application/zip" : produces;
  const fields = Object.entries(values).flatMap(([name, value]) => [value].flat().map((value) => ({ name, value })));
  return {
    ...{ baseUrl, path, keyed, accept },
    saveAs: `${values.output || "output"}.${extensionOf(accept)}`,
    files: given.flatMap(({ kind, value }) => (kind === "file" ? [{ name: "file", value }] : [])),
    texts: [
      ...given.flatMap(({ kind, value }) => (kind === "file" ? [] : [{ name: `${kind}${suffix}`, value }])),
      ...(orderedBy === undefined ? [] : given.map(({ kind }) => ({ name: orderedBy, value: kind }))),
      ...(perInput === undefined ? [] : given.map(({ pages = "all" }) => ({ name: perInput.name, value: pages }))),
      ...fields,
    ],
    command: commandOf(operation, operands.length > 0 ? operands : given, fields),
  };
}

function commandOf(
  { source, fields: declared }: Operation,
  inputs: readonly CallInput[],
  fields: readonly Entry[],
): Command {
  const text = source === "text" ? "content" : undefined;
  const textOf = (wanted: string | undefined) => fields.find(({ name }) => name === wanted)?.value;
  const content = textOf(text);
  const options = fields.flatMap(({ name, value }): Option[] => {
    const kind = declared.find((field) => field.name === name)?.kind ?? "text";
    return name === text || name === "output" || (kind === "switch" && value === "off") ? [] : [{ name, value, kind }];
  });
  return {
    ...{ inputs, options },
    ...(content === undefined ? {} : { content }),
    ...(source === "one" && inputs.length > 1 ? { isBatch: true } : {}),
  };
}
