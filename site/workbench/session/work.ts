// Runs one job: stores the inputs, converts them to PDF if necessary, and runs the operation.
import { needsConversion } from "../../../client/core/conversion.ts";
import { stemOf } from "../model/format.ts";
import type { Operation } from "../model/operations.ts";
import { factsIn, type JobResponse, type StoredInfo } from "../model/responses.ts";
import type { Input, Job, Losses, Output, Result, Stored, Values } from "../model/state.ts";
import type { Store } from "../model/store.ts";
import type { Inputs } from "./inputs.ts";
import { bodyOf, type Task } from "./request.ts";
import { infoOf, RequestError, remove, runJob, uploadFrom } from "./service.ts";

export interface Surroundings {
  readonly store: Store;
  readonly inputs: Inputs;
  readonly signal: AbortSignal;
  report(job: Job): void;
}

/** @throws RequestError, or the reason of the signal */
export async function carryOut(operation: Operation, task: Task, services: Surroundings): Promise<Result> {
  const { store, inputs, signal, report } = services;
  const isPdfOnly = operation.input.accepts === "pdf";
  await Promise.all([...task.inputs, ...task.further].map(({ key }) => inputs.storeOne(key)));
  signal.throwIfAborted();
  const given: Input[] = [];
  for (const { key } of task.inputs) {
    if (isPdfOnly) await becomePdf(key, services);
    given.push(inputOf(store, key));
  }
  const converted = isPdfOnly ? given.filter(({ pdf }) => pdf) : [];
  const sent = isPdfOnly ? given.map(({ pdf, ...input }) => ({ ...input, ...pdf })) : given;
  report({ step: "starting" });
  const response = await runJob({
    ...{
      path: operation.path,
      body: bodyOf(operation, { ...task, inputs: sent, further: task.further.map(({ key }) => inputOf(store, key)) }),
      signal,
    },
    key: store.state.apiKey,
    onProgress: (progress) => report({ step: progress.phase, progress }),
  });
  const keeps = keptBySteps(task);
  const isCompared = operation.input.kind === "one" || (keeps !== undefined && sent.length === 1);
  const input = isCompared ? comparedInput(response, sent[0]) : undefined;
  return {
    ...{ path: operation.path, title: titleOf(task), values: keptValues(operation, task.values) },
    ...(input ? { input } : {}),
    ...(keeps ? { keeps } : {}),
    outputs: await outputsOf(response),
    ...(operation.output.data && response.outputId === undefined
      ? { data: dataOf(operation.output.data, response) }
      : {}),
    converted: converted.map(({ name }) => name),
    ...lossesIn([...converted.flatMap(({ pdf }) => pdf ?? []), lossesOf(response)]),
  };
}

/** Returns the title of a job: the names of its inputs. */
export const titleOf = ({ inputs, values }: Task): string =>
  inputs.map(({ name }) => name).join(", ") || String(values.output ?? "");

/** @throws RequestError if the user has removed the input */
function inputOf({ inputs }: Store, key: number): Input {
  const input = inputs.find((input) => input.key === key);
  if (!input) throw new RequestError({ status: 0, sentence: "The file was removed from the list." });
  return input;
}

const lossesOf = ({ notices = [], substitutedFonts = [] }: JobResponse): Losses => ({
  notices,
  fonts: substitutedFonts,
});

/** Merges the notices and substituted fonts of several jobs, without duplicates. */
function lossesIn(all: readonly Losses[]): Losses {
  const fonts = all.flatMap(({ fonts }) => fonts).map((font) => [`${font.name}, ${font.replacedBy}`, font] as const);
  return { notices: [...new Set(all.flatMap(({ notices }) => notices))], fonts: [...new Map(fonts).values()] };
}

/** Converts an input to PDF, unless it is a PDF or has already been converted. */
async function becomePdf(key: number, services: Surroundings): Promise<void> {
  const { store, signal, report } = services;
  const { name, url, pdf, id, info } = inputOf(store, key);
  if (pdf) return;
  const stored = await described(id ?? (await uploadFrom(url!, { key: store.state.apiKey, signal })), info);
  const isPage = id === undefined && /^text\/html\b/.test(stored.info?.type ?? "");
  if (id === undefined && !isPage) store.setInput(key, stored);
  // If the type of the file is unknown, sends the file unconverted. The service rejects it if necessary.
  if (!stored.info || !needsConversion(stored.info)) return;
  report({ step: "converting" });
  // If the URL refers to a web page, the service must render the page, not convert its HTML alone.
  const source = isPage ? { url } : { id: stored.id };
  if (isPage) void remove(stored.id, store.state.apiKey).catch(() => {});
  const output = stemOf(isPage ? new URL(url!).hostname : url === undefined ? name : stored.info.name);
  const body = { ...source, output };
  const response = await runJob({ path: "/pdf", body, signal, key: store.state.apiKey });
  const [made] = await outputsOf(response);
  const { isDeleted: _, ...kept } = made!;
  store.setInput(key, { pdf: { ...kept, ...lossesOf(response) } });
}

async function described(id: string, known: StoredInfo | undefined): Promise<Stored> {
  const info = known ?? (await infoOf(id));
  return { id, ...(info ? { info } : {}) };
}

/** Returns the members of a response that contain the data of the operation. */
const dataOf = (schemas: object, response: object): Readonly<Record<string, unknown>> =>
  Object.fromEntries(Object.entries(response).filter(([name]) => Object.hasOwn(schemas, name)));

/** Returns the outputs of a job. Only for the first output, also requests the number of pages. */
async function outputsOf({ outputId, outputFiles = [] }: JobResponse): Promise<readonly Output[]> {
  const known = new Map<string, StoredInfo>(outputFiles.map((file) => [file.id, factsIn(file)]));
  const [first, ...others] = [outputId ?? []].flat();
  if (first === undefined) return [];
  const info = (await infoOf(first)) ?? known.get(first);
  return [
    { id: first, isDeleted: false, ...(info ? { info } : {}) },
    ...others.map((id) => ({ id, isDeleted: false, ...(known.has(id) ? { info: known.get(id)! } : {}) })),
  ];
}

/** Returns the input with which the output is compared. */
function comparedInput({ inputId, inputFiles = [] }: JobResponse, input: Input | undefined): Output | undefined {
  const id = [inputId ?? input?.id].flat()[0];
  if (id === undefined) return undefined;
  const file = (id === input?.id ? input.info : undefined) ?? inputFiles.find((file) => file.id === id);
  return { id, isDeleted: false, ...(file ? { info: factsIn(file) } : {}) };
}

/** Returns the properties of the input that all steps keep; undefined if there are none, or for a single operation. */
function keptBySteps({ steps = [] }: Task): Result["keeps"] {
  const kept = steps.map(({ operation: { output }, values }) =>
    output.keeps === "pages" && values.pages !== undefined ? undefined : output.keeps,
  );
  if (kept.length === 0 || kept.includes(undefined)) return undefined;
  return kept.includes("pages") ? "pages" : "document";
}

/**
 * Returns the values that a result needs later: the output name, and the page selection if the output has only those
 * pages.
 */
function keptValues({ output }: Operation, values: Values): Values {
  const kept = output.keeps === "document" ? ["output"] : ["output", "pages", "pages[]"];
  return Object.fromEntries(Object.entries(values).filter(([name]) => kept.includes(name)));
}
