// Builds requests from the state of the page, for the service and for code snippets.

import { needsConversion } from "../../../client/core/conversion.ts";
import type { DescribedFile } from "../../../src/service/http/contract/operation-list.ts";
import type { CallInput, OperationCall } from "../../../src/service/reference/snippets/call.ts";
import { isBlank } from "../model/checks.ts";
import { extensionOf, stemOf } from "../model/format.ts";
import { type FormField, type Operation, placeOf, takesFiles } from "../model/operations.ts";
import { PROFILE_EXAMPLES } from "../model/profile-examples.ts";
import type { Input, State, Value, Values } from "../model/state.ts";
import { nameOf, STEPS_FIELD, STEPS_PATH } from "../model/steps.ts";
import { type CallSettings, callOf } from "./call.ts";

/** The inputs and values of one job. */
export interface Task {
  readonly inputs: readonly Input[];
  /** The further files, for all fields of the operation and of its steps. */
  readonly further: readonly Input[];
  readonly values: Values;
  /** Set for an operation that runs several steps. */
  readonly steps?: readonly StepTask[];
}

interface StepTask {
  readonly operation: Operation;
  readonly values: Values;
}

/** Returns the inputs that an operation uses: all inputs of the page, or none. */
export const inputsOf = (operation: Operation, { inputs }: Pick<State, "inputs">): readonly Input[] =>
  takesFiles(operation) ? inputs : [];

/** Returns the files that belong to the field of a further file. */
export const filesIn = (
  operation: Operation,
  file: Pick<DescribedFile, "name">,
  further: readonly Input[],
): readonly Input[] => further.filter(({ field }) => field === placeOf(operation, file));

/** Returns the state in which a step is filled in. Only the first step has the documents of the request. */
export const stateOfStep = (state: State, index: number): State => (index === 0 ? state : { ...state, inputs: [] });

/** Reports whether there are several inputs, each with a separate job. */
export const isBatch = ({ input: { kind } }: Operation, { inputs }: Pick<State, "inputs">): boolean =>
  kind === "one" && inputs.length > 1;

/** Returns the previewed input. */
export const chosenInput = ({ inputs, chosen }: Pick<State, "inputs" | "chosen">): Input | undefined =>
  inputs.find(({ key }) => key === chosen) ?? inputs[0];

/** Returns the jobs of an operation: one job for each input, or one job for all inputs. */
export function tasksOf(operation: Operation, state: State): readonly Task[] {
  const values = sentValues(operation, state);
  const inputs = inputsOf(operation, state);
  const further = [operation, ...(operation.steps ?? [])].flatMap((one) =>
    one.files.flatMap((file) => filesIn(one, file, state.further)),
  );
  const steps = operation.steps?.map((step, index) => ({
    operation: step,
    values: sentValues(step, stateOfStep(state, index)),
  }));
  if (!isBatch(operation, state)) return [{ inputs, further, values, ...(steps ? { steps } : {}) }];
  const taken = new Set<string>();
  const isNamed = operation.fields.some(({ name }) => name === "output");
  return inputs.map((input) => ({
    ...{ inputs: [input], further },
    values: { ...values, ...(isNamed ? { output: uniqueName(outputName(operation, [input]), taken) } : {}) },
  }));
}

/** Returns a name that is not in `taken`, and adds it. */
function uniqueName(name: string, taken: Set<string>): string {
  let unique = name;
  for (let count = 2; taken.has(unique.toLowerCase()); count++) unique = `${name} (${count})`;
  taken.add(unique.toLowerCase());
  return unique;
}

/**
 * Reports whether an input must be converted to PDF for an operation. If the file is not stored yet, its name
 * determines its type.
 */
export function isConverted(operation: Operation, { name, url, info, pdf }: Input): boolean {
  const isPdfOnly = operation.input.accepts === "pdf";
  if (!isPdfOnly || pdf) return isPdfOnly;
  if (info) return needsConversion(info);
  return url === undefined && !/\.pdf$/i.test(name);
}

/** Reports whether a displayed field must have a value. */
export const isNeeded = ({ required, requiredIf }: FormField): boolean => required || requiredIf !== undefined;

/** Returns the initial value of a field. */
function firstValue(operation: Operation, field: FormField, state: State): Value {
  if (field.name === "output") return outputName(operation, inputsOf(operation, state));
  if (field.default !== undefined) return String(field.default);
  if (field.content?.isFile) return PROFILE_EXAMPLES[0]!.text;
  // Nobody should encrypt a document with a password that is in the documentation.
  const isOffered = (isNeeded(field) || !field.list) && !["password", "file"].includes(field.control);
  const example = isOffered ? operation.example[field.name] : undefined;
  return example === undefined ? (field.list ? [] : "") : String(example);
}

/** Returns the initial output name of a job with these inputs. */
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
  // If a snippet saves the output in the folder of the inputs, it must not overwrite an input or a PDF converted from
  // it.
  const { type, archives } = operation.output;
  const saved = [type, ...(archives ? ["application/zip"] : [])].map((one) =>
    `${stem}.${extensionOf(one)}`.toLowerCase(),
  );
  const taken = inputs.map((input) => (isConverted(operation, input) ? `${stemOf(input.name)}.pdf` : input.name));
  return taken.some((name) => saved.includes(name.toLowerCase())) ? `${stem}_${operation.path.slice(1)}` : stem;
}

const hostOf = (url: string): string => (URL.canParse(url) ? new URL(url).hostname : "page");

export const shownValue = (operation: Operation, field: FormField, state: State): Value =>
  state.values[operation.form]?.[field.name] ?? firstValue(operation, field, state);

/**
 * Returns the displayed fields of the form. Omits fields that apply only if another field has a different value, and
 * fields for IDs of stored files. If each file has a separate job, also omits the output name: each output is named
 * after its file.
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
 * Returns the fields that are sent. A field with the service's default is sent only if the user has set it, because
 * some defaults have an effect only if they are sent. For example, a sent paper size overrides the document's own.
 */
function sentValues(operation: Operation, state: State): Values {
  const sent = shownFields(operation, state).flatMap((field) => {
    const value = shownValue(operation, field, state);
    const filled = typeof value === "string" ? value : value.filter((text) => !isBlank(field, text));
    const isEmpty = typeof filled === "string" ? isBlank(field, filled) : filled.length === 0;
    const isSet = state.values[operation.form]?.[field.name] !== undefined;
    return isEmpty || (filled === String(field.default) && !isSet) ? [] : [[field.name, filled] as const];
  });
  return Object.fromEntries(sent);
}

/** Returns the JSON body of the request for a job, whose inputs are stored files or URLs. */
export function bodyOf(operation: Operation, { inputs, further, values: own, steps }: Task): Record<string, unknown> {
  const values = {
    ...{ ...own, ...furtherFields(operation, further) },
    ...(steps ? { [STEPS_FIELD]: listOf(steps, (step) => furtherFields(step, further)) } : {}),
  };
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

/** Returns the list of steps of a request. */
const listOf = (steps: readonly StepTask[], filesOf: (step: Operation) => Readonly<Record<string, Value>>) =>
  steps.map(({ operation, values }) => {
    const fields = Object.entries(values).map(([name, value]) => [name.replace("[]", ""), value] as const);
    return { [nameOf(operation)]: { ...Object.fromEntries(fields), ...filesOf(operation) } };
  });

/** Returns the fields that contain the IDs and URLs of the further files. */
function furtherFields(operation: Operation, further: readonly Input[]): Record<string, string> {
  const fields = operation.files.flatMap((file) =>
    filesIn(operation, file, further).map(({ id, url }, index) => {
      const field = id === undefined ? file.url : file.id;
      // The indexes preserve the order of the files if some are IDs and others URLs.
      return [file.list ? `${field}[${index}]` : field, id ?? url!] as const;
    }),
  );
  return Object.fromEntries(fields);
}

/**
 * Returns the requests of one job for code snippets: conversions of inputs to PDF, then the operation itself. If there
 * are several jobs, returns the requests of the previewed input's job. The command of the command line client has the
 * inputs of all jobs.
 */
export function callsOfState(operation: Operation, state: State, baseUrl: string): readonly OperationCall[] {
  const tasks = tasksOf(operation, state);
  const chosen = chosenInput(state);
  const task = tasks.find(({ inputs }) => inputs.some((input) => input === chosen)) ?? tasks[0]!;
  const { inputs, further, steps } = task;
  const common = { baseUrl, keyed: state.service?.keyed ?? false };
  const pdf = state.service?.operations.get("/pdf");
  // A converted PDF must not overwrite a PDF that the user has.
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
  const all = { ...common, inputs: given, operands };
  if (steps) return [...before, callOfSteps({ ...task, steps }, all, state)];
  const files = further.map((input) => ({ ...callInputOf(input), field: input.field! }));
  return [...before, callOf(operation, { ...all, further: files, values: task.values })];
}

/** Returns the request of an operation with steps, whose local files are parts of the request. */
function callOfSteps(
  { further, values, steps }: Task & { readonly steps: readonly StepTask[] },
  settings: Omit<CallSettings, "values">,
  { service, inputs }: State,
): OperationCall {
  const operation = service!.operations.get(STEPS_PATH)!;
  const { type } = steps.at(-1)?.operation.output ?? operation.output;
  // A request for JSON returns IDs instead of a file.
  const archives = type === "application/json" || makesSeveral(steps, inputs.length);
  const text = JSON.stringify(listOf(steps, (step) => namedFiles(step, further)));
  const [{ name: field }] = operation.files as [DescribedFile];
  return callOf(
    { ...operation, output: { ...operation.output, type, archives } },
    {
      ...settings,
      ...{ values: { ...values, [STEPS_FIELD]: text }, secrets: haveSecrets(steps) ? [STEPS_FIELD] : [] },
      further: further.map((input) => ({ ...callInputOf(input), field })).filter(({ kind }) => kind === "file"),
    },
  );
}

/** Returns the list of steps with masked secrets, if the code reads it from a variable because of them. */
export function maskedSteps(operation: Operation, state: State): string | undefined {
  const [{ steps, further }] = tasksOf(operation, state) as [Task];
  if (!steps || !haveSecrets(steps)) return undefined;
  const masked = steps.map(({ operation, values }) => {
    const secrets = operation.fields.filter(({ name, secret }) => secret && values[name] !== undefined);
    return { operation, values: { ...values, ...Object.fromEntries(secrets.map(({ name }) => [name, "…"])) } };
  });
  return JSON.stringify(listOf(masked, (step) => namedFiles(step, further)));
}

/** Reports whether a value of a step is a secret. */
const haveSecrets = (steps: readonly StepTask[]): boolean =>
  steps.some(({ operation, values }) => operation.fields.some(({ name, secret }) => secret && values[name]));

/** Reports whether steps can have several outputs. */
const makesSeveral = (steps: readonly StepTask[], inputCount: number): boolean =>
  steps.reduce(
    (isSeveral, { operation: { input, output } }) => output.archives || (isSeveral && input.kind === "one"),
    inputCount > 1,
  );

/** Returns the fields of a step that contain the names of local files, and the IDs and URLs of other files. */
function namedFiles(step: Operation, further: readonly Input[]): Record<string, Value> {
  const fields = step.files.flatMap((file) => {
    const given = filesIn(step, file, further).map(callInputOf);
    const names = [["file", file.name] as const, ["id", file.id] as const, ["url", file.url] as const];
    return names.flatMap(([kind, name]) => {
      const values = given.flatMap((one) => (one.kind === kind ? one.value : []));
      return values.length === 0 ? [] : [[name, file.list ? values : values[0]!] as const];
    });
  });
  return Object.fromEntries(fields);
}

/**
 * Returns an input for code snippets. A snippet sends the user's own file, even if the page has already stored it. The
 * output of a job is passed by ID.
 */
function callInputOf({ name, id, url, isResult, pages }: Input): CallInput {
  if (isResult && id !== undefined) return { kind: "id", value: id, pages };
  if (url !== undefined) return { kind: "url", value: url, pages };
  return { kind: "file", value: name, pages };
}
