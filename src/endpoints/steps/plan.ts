// Plans the job of several steps: one stage for each step.

import { extensionOf, mayBePdf } from "../../document/contract/media-type.ts";
import { type Input, memoryInput, type Step } from "../../document/contract/operation.ts";
import { parsePages } from "../../document/contract/pages.ts";
import { typeName } from "../../document/contract/type-names.ts";
import { mergePdfs } from "../../operations/merge-pdfs.ts";
import { inStep } from "../../service/http/contract/declaration/in-step.ts";
import { typesOf } from "../../service/http/contract/declaration/output-declaration.ts";
import type { Endpoint, JobSettings, ParsedRequest } from "../../service/http/contract/endpoint.ts";
import { wrongType } from "../../service/http/contract/errors.ts";
import { type MainInput, mainInputOf, type OneInput } from "../../service/http/contract/input-declaration.ts";
import { mediaTypeOfInput } from "../../service/http/requests/document-type.ts";
import { DOCUMENT_EXTENSIONS, expectedType } from "../../service/http/requests/document-types.ts";
import { mismatch } from "../../service/http/requests/mismatch.ts";
import { edgeJob, type JobPlan, stepsJob } from "../../service/placement/placement.ts";
import { alternatives, beginning } from "./alternatives.ts";

const ALL = parsePages("1-last")!;

/** A step whose fields are parsed. */
interface ParsedStep {
  readonly endpoint: Endpoint;
  readonly parsed: Pick<ParsedRequest, "prepare">;
}

/** @throws ServiceError 400 if a step cannot process any output type of the step before */
export function requireTypes(endpoints: readonly Endpoint[]): void {
  for (const [index, endpoint] of endpoints.entries()) {
    const previous = endpoints[index - 1];
    if (!previous || accepted(endpoint, typesOf(previous.output)).length > 0) continue;
    const [made] = typesOf(previous.output);
    const { description } = documentsOf(endpoint);
    const why = `Step ${index} makes ${typeName(made!)}; ${endpoint.path.slice(1)} takes ${description}.`;
    throw wrongType(why).inStep(index, endpoint.path);
  }
}

/** Types of outputs whose content is only known when it is there. */
const UNKNOWN = "application/octet-stream";
const PDF = "application/pdf";

/** Reports whether the endpoint takes documents of all types except PDF. */
const isConversion = (endpoint: Endpoint): boolean => {
  const { kind, accepts } = documentsOf(endpoint);
  return kind === "one" && !accepts;
};

const nameOf = (type: string) => `document.${extensionOf(type) ?? ""}`;

function accepted(endpoint: Endpoint, types: readonly string[]): readonly string[] {
  const { accepts, converts } = documentsOf(endpoint);
  if (isConversion(endpoint)) {
    const isDocument = (type: string) => type === UNKNOWN || expectedType(nameOf(type)) !== "none";
    return types.some(isDocument) ? types.filter((type) => type === PDF || isDocument(type)) : [];
  }
  if (!accepts || converts) return types;
  // A text might be a damaged PDF, but the output of a step is not damaged.
  return types.filter((type) => (accepts === mayBePdf ? [PDF, UNKNOWN].includes(type) : accepts(type)));
}

function documentsOf({
  inputs,
}: Endpoint): Omit<OneInput, "kind"> & Pick<MainInput, "kind"> & { readonly converts?: boolean } {
  const main = mainInputOf(inputs);
  if (main.kind !== "one" && main.kind !== "several") throw new Error("a step without documents");
  return main;
}

/** @param inputs empty if they are not fetched yet */
export async function planSteps(
  steps: readonly ParsedStep[],
  inputs: readonly Input[],
  settings: JobSettings,
): Promise<JobPlan> {
  const planned: Step[] = [];
  for (const [index, step] of steps.entries()) {
    const further = inputs.filter((input) => input.step === index);
    const previous = steps[index - 1]?.endpoint;
    const stage = await inStep(index, step.endpoint, async () => {
      const documents = previous
        ? placeholders(step.endpoint, previous)
        : inputs.filter((input) => input.step === undefined && input.role === undefined);
      if (!previous) await requireAccepted(step.endpoint, documents);
      return planStage(step, index, { documents, further, settings });
    });
    planned.push(...stage);
  }
  return stepsJob(planned as [Step, ...Step[]]);
}

async function requireAccepted(endpoint: Endpoint, documents: readonly Input[]): Promise<void> {
  const { accepts, acceptsAlso, converts, description } = documentsOf(endpoint);
  if (!accepts || converts) return;
  for (const [at, input] of documents.entries()) {
    const type = await mediaTypeOfInput(input);
    const place = { number: at + 1, of: documents.length };
    if (!accepts(type) && !acceptsAlso?.(type))
      throw mismatch({ name: input.name, size: input.size, type }, description, place);
  }
}

/** Returns empty documents of the types that a step can receive, to choose the operations before they exist. */
function placeholders(endpoint: Endpoint, previous: Endpoint): readonly Input[] {
  const isAny = isConversion(endpoint) || documentsOf(endpoint).converts;
  return accepted(endpoint, typesOf(previous.output)).flatMap((type) => {
    const names =
      type === UNKNOWN && isAny ? ["pdf", ...DOCUMENT_EXTENSIONS].map((one) => `document.${one}`) : [nameOf(type)];
    return names.map((name) => ({ ...memoryInput(new Uint8Array(0), name), type }));
  });
}

interface StageInputs {
  readonly documents: readonly Input[];
  readonly further: readonly Input[];
  readonly settings: JobSettings;
}

/** Returns the steps of one or several stages. */
async function planStage(
  { endpoint, parsed }: ParsedStep,
  step: number,
  { documents, further, settings }: StageInputs,
): Promise<readonly Step[]> {
  const { kind } = documentsOf(endpoint);
  if (kind === "several") {
    const { steps } = await parsed.prepare([...documents, ...further], settings);
    return beginning(steps, { step, takes: "all" });
  }
  const jobs: JobPlan[] = [];
  for (const document of documents) {
    const stays = document.type !== undefined && isConversion(endpoint) && document.name.endsWith(".pdf");
    jobs.push(stays ? edgeJob(mergePdfs, { pages: [ALL] }) : await parsed.prepare([document, ...further], settings));
  }
  if (documents.length === 0) jobs.push(await parsed.prepare([], settings));
  const fallback = documents.findIndex(({ type, name }) => type === UNKNOWN && name.endsWith(".txt"));
  return alternatives(jobs, documents, step, fallback);
}
