// Builds the requests of an operation from the page's state: for the service, and for the code snippets.

import { needsConversion } from "../../../client/core/conversion.ts";
import type { DescribedFile } from "../../../src/service/http/contract/operation-list.ts";
import type { CallInput, OperationCall } from "../../../src/service/reference/snippets/call.ts";
import { extensionOf, stemOf } from "../model/format.ts";
import { type FormField, type Operation, takesFiles } from "../model/operations.ts";
import { PROFILE_EXAMPLES } from "../model/profile-examples.ts";
import type { Input, State, Value, Values } from "../model/state.ts";
import { callOf } from "./call.ts";

/** One job of an operation. */
export interface Task {
  readonly inputs: readonly Input[];
  /** Further files of any field of the operation. */
  readonly further: readonly Input[];
  readonly values: Values;
}

/** Returns the inputs of an operation: all, or none. */
export const inputsOf = (operation: Operation, { inputs }: Pick<State, "inputs">): readonly Input[] =>
  takesFiles(operation) ? inputs : [];

/** Returns the files of a further file's field. */
export const filesIn = ({ name }: Pick<DescribedFile, "name">, further: readonly Input[]): readonly Input[] =>
  further.filter(({ field }) => field === name);

/** Reports whether there are several inputs with a separate job each. */
export const isBatch = ({ input: { kind } }: Operation, { inputs }: Pick<State, "inputs">): boolean =>
  kind === "one" && inputs.length > 1;

/** Returns the input that is previewed. */
export const chosenInput = ({ inputs, chosen }: Pick<State, "inputs" | "chosen">): Input | undefined =>
  inputs.find(({ key }) => key === chosen) ?? inputs[0];

/** Returns the jobs of an operation: one for each input, or one for all. */
export function tasksOf(operation: Operation, state: State): readonly Task[] {
  const values = sentValues(operation, state);
  const inputs = inputsOf(operation, state);
  const further = operation.files.flatMap((file) => filesIn(file, state.further));
  if (!isBatch(operation, state)) return [{ inputs, further, values }];
  const taken = new Set<string>();
  return inputs.map((input) => ({
    ...{ inputs: [input], further },
    values: { ...values, output: uniqueName(outputName(operation, [input]), taken) },
  }));
}

/** Returns a unique name, and adds it to the used names. */
function uniqueName(name: string, taken: Set<string>): string {
  let unique = name;
  for (let count = 2; taken.has(unique.toLowerCase()); count++) unique = `${name} (${count})`;
  taken.add(unique.toLowerCase());
  return unique;
}

/**
 * Reports whether an input must be converted to PDF for an operation. The type of a file that is not stored follows
 * from its name.
 */
export function isConverted(operation: Operation, { name, url, info, pdf }: Input): boolean {
  const isPdfOnly = operation.input.accepts === "pdf";
  if (!isPdfOnly || pdf) return isPdfOnly;
  if (info) return needsConversion(info);
  return url === undefined && !/\.pdf$/i.test(name);
}

/** Reports whether a visible field must have a value. */
export const isNeeded = ({ required, requiredIf }: FormField): boolean => required || requiredIf !== undefined;

/** Returns the initial value of a field. */
function firstValue(operation: Operation, field: FormField, state: State): Value {
  if (field.name === "output") return outputName(operation, inputsOf(operation, state));
  if (field.default !== undefined) return String(field.default);
  if (field.content?.isFile) return PROFILE_EXAMPLES[0]!.text;
  const example = isNeeded(field) || !field.list ? operation.example[field.name] : undefined;
  return example === undefined ? (field.list ? [] : "") : String(example);
}

/** Returns the output name for one input, or for several inputs together. */
function outputName(operation: Operation, inputs: readonly Input[]): string {
  const [first, ...others] = inputs;
  if (operation.input.kind === "text") return "page";
  if (operation.input.kind === "none") return operation.path.slice(1);
  if (!first) return "output";
  const together = others.length > 0 ? operation.output.joinedName : undefined;
  if (first.url !== undefined && together === undefined) {
    return first.info ? stemOf(first.info.name) : hostOf(first.url);
  }
  const stem = together ?? stemOf(first.name);
  // Generated code must not overwrite an input, or a PDF made from it, when it saves the output in the same folder.
  const saved = `${stem}.${extensionOf(operation.output.type)}`.toLowerCase();
  const taken = inputs.map((input) => (isConverted(operation, input) ? `${stemOf(input.name)}.pdf` : input.name));
  return taken.some((name) => name.toLowerCase() === saved) ? `${stem}_${operation.path.slice(1)}` : stem;
}

const hostOf = (url: string): string => (URL.canParse(url) ? new URL(url).hostname : "page");

export const shownValue = (operation: Operation, field: FormField, state: State): Value =>
  state.values[operation.path]?.[field.name] ?? firstValue(operation, field, state);

/**
 * Returns the fields of the form: some count for one value of another alone, and none is a stored file. Of several files with a job each, every one keeps its name.
 */
export function shownFields(operation: Operation, state: State): readonly FormField[] {
  const { fields } = operation;
  const counts = ({ requiredIf }: FormField) => {
    const other = fields.find(({ name }) => name === requiredIf?.field);
    return !other || requiredIf!.is.includes(String(shownValue(operation, other, state)));
  };
  const hidesName = isBatch(operation, state);
  return fields.filter(
    (field) => field.standsFor === undefined && !(hidesName && field.name === "output") && counts(field),
  );
}

/**
 * Returns the fields that are sent: those that someone has set, and others that are not at the default of the service.
 * Some defaults do something else if they are sent, such as the paper of a document that has its own.
 */
function sentValues(operation: Operation, state: State): Values {
  const sent = shownFields(operation, state).flatMap((field) => {
    const value = shownValue(operation, field, state);
    const filled = typeof value === "string" ? value : value.filter((text) => text.trim() !== "");
    const isEmpty = typeof filled === "string" ? filled.trim() === "" : filled.length === 0;
    const isSet = state.values[operation.path]?.[field.name] !== undefined;
    return isEmpty || (filled === String(field.default) && !isSet) ? [] : [[field.name, filled] as const];
  });
  return Object.fromEntries(sent);
}

/** Returns the JSON body of a request whose inputs are stored files or URLs. */
export function bodyOf(operation: Operation, { inputs, further, values: own }: Task): Record<string, unknown> {
  const values = { ...own, ...furtherFields(operation, further) };
  const ids = inputs.flatMap(({ id }) => id ?? []);
  const urls = inputs.flatMap(({ id, url }) => (id === undefined && url !== undefined ? [url] : []));
  const { input, orderedBy, perInput } = operation;
  if (!takesFiles(operation)) return { ...values };
  if (input.kind === "one") return { ...(ids[0] === undefined ? { url: urls[0] } : { id: ids[0] }), ...values };
  return {
    ...(ids.length > 0 ? { "id[]": ids } : {}),
    ...(urls.length > 0 ? { "url[]": urls } : {}),
    ...(orderedBy === undefined ? {} : { [orderedBy]: inputs.map(({ id }) => (id === undefined ? "url" : "id")) }),
    ...(perInput === undefined ? {} : { [perInput.name]: inputs.map(({ pages }) => pages) }),
    ...values,
  };
}

/** Returns the fields that name the further files. */
function furtherFields({ files }: Operation, further: readonly Input[]): Record<string, string> {
  const fields = files.flatMap((file) =>
    filesIn(file, further).map(({ id, url }, index) => {
      const field = id === undefined ? file.url : file.id;
      // The indexes keep the order of IDs and URLs among each other.
      return [file.list ? `${field}[${index}]` : field, id ?? url!] as const;
    }),
  );
  return Object.fromEntries(fields);
}

/**
 * Returns the requests of one job: conversions of inputs to PDF, then the operation itself. With several jobs, returns
 * the job of the previewed input; the command line gets the inputs of all jobs.
 */
export function callsOfState(operation: Operation, state: State, baseUrl: string): readonly OperationCall[] {
  const tasks = tasksOf(operation, state);
  const chosen = chosenInput(state);
  const { inputs, further, values } = tasks.find(({ inputs }) => inputs.some((input) => input === chosen)) ?? tasks[0]!;
  const common = { baseUrl, keyed: state.service?.keyed ?? false };
  const pdf = state.service?.operations.get("/pdf");
  // Must not overwrite a PDF of the reader.
  const taken = new Set(state.inputs.flatMap(({ name }) => (/\.pdf$/i.test(name) ? [stemOf(name).toLowerCase()] : [])));
  const before: OperationCall[] = [];
  const given = inputs.map((input): CallInput => {
    const own = callInputOf(input);
    if (!pdf || !isConverted(operation, input)) return own;
    const output = uniqueName(input.url === undefined ? stemOf(input.name) : hostOf(input.url), taken);
    before.push(callOf(pdf, { ...common, inputs: [own], values: { output } }));
    return { kind: "file", value: `${output}.pdf`, pages: input.pages };
  });
  const operands = tasks.flatMap(({ inputs }) => inputs.map(callInputOf));
  const files = further.map((input) => ({ ...callInputOf(input), field: input.field! }));
  return [...before, callOf(operation, { ...common, inputs: given, operands, further: files, values })];
}

/** The code sends the reader's file itself, although the page has stored it; a job's result is passed by ID. */
function callInputOf({ name, id, url, isResult, pages }: Input): CallInput {
  if (isResult && id !== undefined) return { kind: "id", value: id, pages };
  if (url !== undefined) return { kind: "url", value: url, pages };
  return { kind: "file", value: name, pages };
}
