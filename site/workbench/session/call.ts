// Builds the description of a request, from which code snippets are generated.

import type { CallInput, Command, Entry, OperationCall, Option } from "../../../src/service/reference/snippets/call.ts";
import { extensionOf } from "../model/format.ts";
import { type Operation, takesFiles } from "../model/operations.ts";

export interface CallSettings {
  readonly baseUrl: string;
  readonly keyed: boolean;
  readonly inputs: readonly CallInput[];
  /**
   * Inputs of the command line client. They can differ, because it runs several jobs and conversions with one command.
   * @default inputs
   */
  readonly operands?: readonly CallInput[];
  /** Further files, with their field names. @default placeholders for the required further files */
  readonly further?: readonly (CallInput & { readonly field: string })[];
  /** Values of the fields that are sent. A list field can have several values. */
  readonly values: Readonly<Record<string, string | readonly string[]>>;
  /** Names of fields whose values contain secrets, in addition to the passwords. @default none */
  readonly secrets?: readonly string[];
}

/** Returns a file name for a snippet, if the user has not chosen a file. */
const placeholderOf = ({ example: { file = "document.pdf" } }: Operation): string => String(file);

export function callOf(operation: Operation, settings: CallSettings): OperationCall {
  const { baseUrl, keyed, inputs, operands = [], further = [], values } = settings;
  const { path, input, orderedBy, perInput, output } = operation;
  const suffix = input.kind === "several" ? "[]" : "";
  const sent: readonly CallInput[] =
    inputs.length > 0 ? inputs : [{ kind: "file", value: placeholderOf(operation), pages: "all" }];
  const given = !takesFiles(operation) ? [] : input.kind === "one" ? sent.slice(0, 1) : sent;
  const ofFiles = operation.files.flatMap((file) => {
    const chosen = further.filter(({ field }) => field === file.name);
    const names = [operation.example[file.name] ?? file.name].flat();
    const placeholders = names.map((value) => ({ kind: "file" as const, value: String(value) }));
    return (chosen.length === 0 && file.required ? placeholders : chosen).map(({ kind, value }) => ({
      ...{ kind, value, option: file.name, name: kind === "file" ? file.name : file[kind] + (file.list ? "[]" : "") },
    }));
  });
  const accept = output.archives ? "application/zip" : output.type;
  const named = (wished: string) => operation.fields.flatMap(({ control, name }) => (control === wished ? [name] : []));
  const secrets = new Set([...named("password"), ...(settings.secrets ?? [])]);
  const secretFiles = named("file")
    .filter((name) => values[name] !== undefined)
    .map((name) => ({ name, value: String(operation.example[name] ?? name) }));
  const texts = Object.entries(values).filter(([name]) => secretFiles.every((file) => file.name !== name));
  const fields = texts.flatMap(([name, given]): Entry[] =>
    secrets.has(name)
      ? [{ name, value: "", variable: name.toUpperCase() }]
      : [given].flat().map((value) => ({ name, value })),
  );
  return {
    ...{ method: "POST", url: baseUrl + path, keyed, accept },
    ...(output.data ? {} : { saveAs: `${values.output || "output"}.${extensionOf(accept)}` }),
    files: [
      ...[...given.map((one) => ({ ...one, name: "file" })), ...ofFiles].flatMap(({ kind, name, value }) =>
        kind === "file" ? [{ name, value }] : [],
      ),
      ...secretFiles,
    ],
    texts: [
      ...given.flatMap(({ kind, value }) => (kind === "file" ? [] : [{ name: `${kind}${suffix}`, value }])),
      ...(orderedBy === undefined ? [] : given.map(({ kind }) => ({ name: orderedBy, value: kind }))),
      ...(perInput === undefined ? [] : given.map(({ pages = "all" }) => ({ name: perInput.name, value: pages }))),
      ...ofFiles.flatMap(({ kind, name, value }) => (kind === "file" ? [] : [{ name, value }])),
      ...fields,
    ],
    command: commandOf(operation, baseUrl, operands.length > 0 ? operands : given, [
      ...ofFiles.map(({ option, value }) => ({ name: option, value })),
      ...secretFiles,
      ...fields,
    ]),
  };
}

function commandOf(
  { path, input, fields: declared }: Operation,
  baseUrl: string,
  inputs: readonly CallInput[],
  fields: readonly Entry[],
): Command {
  const content = fields.find(({ name }) => name === input.field)?.value;
  const options = fields.flatMap((field): Option[] => {
    const { name, value } = field;
    const control = declared.find((one) => one.name === name)?.control ?? "text";
    const isOff = control === "switch" && value === "off";
    return name === input.field || name === "output" || isOff ? [] : [{ ...field, control }];
  });
  return {
    ...{ baseUrl, name: path.slice(1), inputs, options },
    ...(content === undefined ? {} : { content }),
    ...(input.kind === "one" && inputs.length > 1 ? { isBatch: true } : {}),
  };
}
