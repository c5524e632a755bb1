// Makes the request of an operation from what the page knows: for the service, and for the code beside the form.
import { entryOf } from "./catalog.ts";
import { extensionOf, stemOf } from "./format.ts";
import type { FormField, Operation } from "./operations.ts";
import { type Call, type CallInput, callOf } from "./snippets/call.ts";
import type { Input, State, Value, Values } from "./state.ts";

/** Returns the inputs that an operation takes: the chosen one, all, or none. */
export function inputsOf({ source }: Operation, { inputs, chosen }: Pick<State, "inputs" | "chosen">): Input[] {
  if (source === "text") return [];
  if (source === "several") return [...inputs];
  return [inputs.find(({ key }) => key === chosen) ?? inputs[0]].filter((input) => input !== undefined);
}

/** Returns what a field shows before anyone has changed it. */
function firstValue(operation: Operation, field: FormField, state: State): Value {
  if (field.name === "output") return outputName(operation, state);
  const first = field.fallback ?? entryOf(operation.path)?.first?.[field.name];
  return first ?? (field.kind === "list" ? [] : "");
}

function outputName(operation: Operation, state: State): string {
  const inputs = inputsOf(operation, state);
  const [first, ...others] = inputs;
  if (!first) return operation.source === "text" ? "page" : "output";
  const together = others.length > 0 ? entryOf(operation.path)?.together : undefined;
  if (first.url !== undefined && together === undefined) {
    return first.info ? stemOf(first.info.name) : hostOf(first.url);
  }
  const stem = together ?? stemOf(first.name);
  // Code that saves the output beside the inputs must not replace one.
  const saved = `${stem}.${extensionOf(operation.produces)}`.toLowerCase();
  return inputs.some(({ name }) => name.toLowerCase() === saved) ? `${stem}_${operation.path.slice(1)}` : stem;
}

const hostOf = (url: string): string => (URL.canParse(url) ? new URL(url).hostname : "page");

export const shownValue = (operation: Operation, field: FormField, state: State): Value =>
  state.values[operation.path]?.[field.name] ?? firstValue(operation, field, state);

/** Returns the fields of the form: settings in a file count for the value `custom` alone, and are never a stored file. */
export function shownFields(operation: Operation, state: State): readonly FormField[] {
  const { fields } = operation;
  const file = fields.find(({ kind }) => kind === "json");
  const customized = fields.find(({ values }) => values?.includes("custom"));
  const isCustom = !customized || shownValue(operation, customized, state) === "custom";
  return fields.filter((field) => (field === file ? isCustom : field.name !== `${file?.name}_id`));
}

/**
 * Returns the fields that are sent: those that someone has set, and others that are not at the default of the service.
 * Some defaults do something else if they are sent, such as the paper of a document that has its own.
 */
export function sentValues(operation: Operation, state: State): Values {
  const sent = shownFields(operation, state).flatMap((field) => {
    const value = shownValue(operation, field, state);
    const filled = typeof value === "string" ? value : value.filter((text) => text.trim() !== "");
    const isEmpty = typeof filled === "string" ? filled.trim() === "" : filled.length === 0;
    const isSet = state.values[operation.path]?.[field.name] !== undefined;
    return isEmpty || (filled === field.fallback && !isSet) ? [] : [[field.name, filled] as const];
  });
  return Object.fromEntries(sent);
}

/** Returns the JSON body of a request whose inputs are stored, or are addresses. */
export function bodyOf(operation: Operation, inputs: readonly Input[], values: Values): Record<string, unknown> {
  const ids = inputs.flatMap(({ id }) => id ?? []);
  const urls = inputs.flatMap(({ id, url }) => (id === undefined && url !== undefined ? [url] : []));
  const { source, orderedBy, perInput } = operation;
  if (source === "text") return { ...values };
  if (source === "one") return { ...(ids[0] === undefined ? { url: urls[0] } : { id: ids[0] }), ...values };
  return {
    ...(ids.length > 0 ? { "id[]": ids } : {}),
    ...(urls.length > 0 ? { "url[]": urls } : {}),
    ...(orderedBy === undefined ? {} : { [orderedBy]: inputs.map(({ id }) => (id === undefined ? "url" : "id")) }),
    ...(perInput === undefined ? {} : { [perInput.name]: inputs.map(({ pages }) => pages) }),
    ...values,
  };
}

export function callOfState(operation: Operation, state: State, baseUrl: string): Call {
  return callOf(operation, {
    baseUrl,
    keyed: state.service?.keyed ?? false,
    inputs: inputsOf(operation, state).map(callInputOf),
    values: sentValues(operation, state),
  });
}

/** A file of the reader is sent as a file, although the page has stored it; the result of a job is named by its id. */
function callInputOf({ name, id, url, isResult, pages }: Input): CallInput {
  if (isResult && id !== undefined) return { kind: "id", value: id, pages };
  if (url !== undefined) return { kind: "url", value: url, pages };
  return { kind: "file", value: name, pages };
}
