// Resolves a form to its inputs and to a function that parses its fields, including those of its steps.

import type { Config } from "../../settings/config.ts";
import type { ReceivedFile } from "../../storage/file.ts";
import type { Store } from "../../storage/store.ts";
import { inStep } from "../contract/declaration/in-step.ts";
import {
  type ClientHooks,
  type Endpoint,
  isServed,
  notServed,
  type ParsedRequest,
  type StepRequest,
} from "../contract/endpoint.ts";
import { outOfScope } from "../contract/errors.ts";
import type { Form } from "../contract/form.ts";
import { defaultOutput, needsOutput } from "../contract/output-name.ts";
import { type InputFile, type ResolveOptions, resolveInputs } from "../requests/inputs.ts";
import { withStoredFields } from "../requests/stored-fields.ts";

interface RequestContext extends Pick<ResolveOptions, "receive"> {
  readonly store: Store;
  readonly config: Config;
  readonly caller: Pick<ClientHooks, "mayUse"> | undefined;
}

interface ResolvedRequest {
  /** The inputs, without those that will be fetched later. */
  readonly sources: readonly InputFile[];
  /** Parses the fields. @param first the input from whose name the name of the output is derived */
  parse(first: { readonly name: string } | undefined): ParsedRequest;
}

/** @throws ServiceError 400, 403, 404 */
export async function resolveRequest(
  endpoint: Endpoint,
  form: Form,
  context: RequestContext,
): Promise<ResolvedRequest> {
  const { store, config, receive } = context;
  const where = { store, receive, maxInputs: config.maxInputs };
  const own = await resolveInputs(endpoint.inputs, form, where);
  const { stepsIn } = endpoint;
  const steps = stepsIn?.(form, own.filter(({ role }) => role !== undefined).map(received)) ?? [];
  const sources = stepsIn ? own.filter(({ role }) => role === undefined) : [...own];
  const completed: StepRequest[] = [];
  for (const [index, step] of steps.entries()) {
    await inStep(index, step.endpoint, async () => {
      requirePermission(step.endpoint, context);
      const { file: _, ...further } = step.endpoint.inputs;
      sources.push(...(await resolveInputs(further, step.form, where)).map((source) => ({ ...source, step: index })));
      completed.push({ ...step, form: await withStoredFields(step.endpoint, step.form, store) });
    });
  }
  const complete = await withStoredFields(endpoint, form, store);
  return {
    sources,
    parse: (first) => endpoint.parse(complete, outputNameFor(endpoint, form, config, first), completed),
  };
}

/** Steps are subject to the same permissions as single requests. @throws ServiceError 403, 404 */
function requirePermission(endpoint: Endpoint, { config, caller }: RequestContext): void {
  if (!isServed(endpoint, config)) throw notServed(endpoint, config);
  if (caller && !caller.mayUse(endpoint.path.slice(1))) throw outOfScope();
}

const received = (file: InputFile): ReceivedFile =>
  "stored" in file ? file : { ...file, stored: Promise.resolve(file) };

/** Returns the default value of the field `output`; an empty object if the request must contain the field. */
function outputNameFor(
  endpoint: Endpoint,
  { encoding }: Form,
  { dialect }: Config,
  first: { readonly name: string } | undefined,
): Record<string, string> {
  if (needsOutput(endpoint, encoding, dialect)) return {};
  return { output: defaultOutput(endpoint, dialect, first) };
}
