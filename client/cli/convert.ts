// Runs one job of the command line: uploads the inputs, converts them to PDF first if necessary, and saves the outputs.
import { basename, extname, join } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { CANCEL_TIMEOUT_MS } from "../core/connection.ts";
import { needsConversion } from "../core/conversion.ts";
import { PagewrightError } from "../core/error.ts";
import type { Inputs } from "../core/inputs.ts";
import type { Pagewright, Params } from "../core/pagewright.ts";
import type { CallOptions } from "../core/progress.ts";
import type { Result } from "../core/result.ts";
import { openHandle, openPath } from "../node/open-path.ts";
import { saveDownload } from "../node/save-download.ts";
import { numbersOf } from "./numbers.ts";
import { type Operand, stemOf } from "./operands.ts";
import type { OperationSchema } from "./operation-types.ts";
import type { Target } from "./targets.ts";
import { htmlIn } from "./terminal/html-text.ts";

/** One job of a command: an operation with its inputs and output paths. */
export interface ConversionTask {
  readonly operation: OperationSchema;
  readonly params: Params;
  /** The inputs. Operations on several documents have more than one. */
  readonly operands: readonly Operand[];
  readonly target: Target;
}

export interface ConversionResult {
  readonly result: Result;
  /** Paths of the outputs; empty if they were written to standard output. */
  readonly paths: readonly string[];
}

/** Streams that a command reads from and writes to. */
export interface Streams {
  readonly stdin: NodeJS.ReadableStream;
  readonly stdout: NodeJS.WritableStream;
}

/** State that the steps of one job share. */
interface Run {
  readonly pw: Pagewright;
  readonly streams: Streams;
  readonly options: CallOptions;
  /** IDs of the files that the job has stored so far. */
  readonly made: Set<string>;
  /** IDs of the files that were stored before the job, which must not be deleted. */
  readonly given: ReadonlySet<string>;
}

/** Runs a job. If it fails or is interrupted, deletes the files that it stored. */
export async function convert(
  pw: Pagewright,
  work: ConversionTask,
  streams: Streams,
  options: CallOptions,
): Promise<ConversionResult> {
  const made = new Set<string>();
  const stored = Object.values(work.params).flat() as readonly { readonly id?: string }[];
  const given = new Set([...work.operands.map(({ value }) => value), ...stored.flatMap(({ id }) => id ?? [])]);
  try {
    return await convertTo({ pw, streams, options, made, given }, work);
  } catch (error) {
    // The signal of the job might be aborted, so these requests have their own.
    const signal = AbortSignal.timeout(CANCEL_TIMEOUT_MS);
    await Promise.allSettled([...made].map((id) => pw.stored(id).delete({ signal })));
    throw error;
  }
}

async function convertTo(run: Run, work: ConversionTask): Promise<ConversionResult> {
  const { operation, params, operands, target } = work;
  const { streams, options } = run;
  const inputs: Inputs[] = [];
  const pages: (string | undefined)[] = [];
  for (const operand of operands) {
    inputs.push(await prepare(run, operation, operand));
    pages.push(operand.pages);
  }
  // Omits names without letters and digits, because the service rejects a name that has no valid character.
  const isNamed = operation.parameters.some(({ name }) => name === "output") && /[\p{L}\p{N}]/u.test(target.stem);
  const named = { ...params, ...(isNamed ? { output: target.stem } : {}) };
  const result = await start(run, operation, inputs, pages, named);
  keep(run, result);
  if (result.data) return { result, paths: await writeData(result.data, target) };
  if (target.path !== "-") return { result, paths: await save(run, result, work) };
  if (result.files.length > 1) {
    throw new PagewrightError(0, `Standard output takes one file, but there are ${result.files.length}: use --dir.`);
  }
  await pipeline(Readable.fromWeb((await result.stream(options)) as never), streams.stdout, { end: false });
  return { result, paths: [] };
}

/** Returns data as indented JSON. */
export const jsonText = (data: object): string => JSON.stringify(data, null, 2);

/** Writes data to a file. Data for standard output are printed later, with the results of all jobs. */
async function writeData(data: object, { path }: Target): Promise<readonly string[]> {
  if (path === "-") return [];
  const body = new Blob([`${jsonText(data)}\n`]).stream();
  return [await saveDownload({ name: basename(path), type: "application/json", size: undefined, body }, path)];
}

/** Saves outputs under local names, because the outputs of two inputs can have the same name at the service. */
async function save(run: Run, result: Result, work: ConversionTask): Promise<readonly string[]> {
  const { pw, options } = run;
  const { operation, target } = work;
  const { path, stem, extension, only, isArchive, isOpen } = target;
  if (isOpen) {
    const download = await result.file.download(options);
    return [await saveDownload(download, `${path}${extname(download.name)}`)];
  }
  if (!operation.output.archives) return result.save(path, options);
  if (isArchive) {
    const archive = await pw.zip([result], { output: stem }, options);
    keep(run, archive);
    return archive.save(path, options);
  }
  if (only !== undefined && result.files.length === 1) return result.save(only, options);
  if (operation.name === "steps" && result.files.length === 1) {
    return [await result.save(join(path, `${stem}${extension}`), options)].flat();
  }
  // A folder for each archive, because two archives can have files of one name.
  const isOnlyJob = operation.input.kind === "several";
  if (operation.output.hasNames) return saveAll(result.files, isOnlyJob ? path : join(path, stem), options);
  const countPages = async () => (await pw.stored(result.inputIds[0]!).info(options)).pages;
  const numbers = await numbersOf(operation, selectionOf(work), result.files.length, countPages);
  const paths: string[] = [];
  for (const [index, file] of result.files.entries()) {
    paths.push(await file.save(join(path, `${stem}_${numbers[index]}${extension}`), options));
  }
  return paths;
}

/** Saves files under their own names. */
async function saveAll(files: Result["files"], folder: string, options: Run["options"]): Promise<readonly string[]> {
  const paths: string[] = [];
  for (const file of files) paths.push(await file.save(`${folder}/`, options));
  return paths;
}

/** Returns the page selection of an operation that has a single one; undefined for other operations. */
const selectionOf = ({ operation: { parameters }, operands, params }: ConversionTask): unknown =>
  parameters.some(({ name, list }) => name === "pages" && !list) ? (operands[0]?.pages ?? params.pages) : undefined;

/** Records the files that a step has stored at the service, so that they can be deleted. */
function keep({ made, given }: Run, { files, inputIds }: Result): void {
  for (const id of [...files.map((file) => file.id), ...inputIds]) if (!given.has(id)) made.add(id);
}

async function start(
  run: Run,
  { name, input, parameters }: OperationSchema,
  inputs: readonly Inputs[],
  pages: readonly (string | undefined)[],
  params: Params,
): Promise<Result> {
  const { pw, options } = run;
  if (input.selectable) {
    return pw.run(
      name,
      inputs.map((each, index) => ({ input: each, pages: pages[index] })),
      params,
      options,
    );
  }
  if (input.kind === "several") return pw.run(name, inputs, params, options);
  const [only, selection] = [inputs[0]!, pages[0]];
  // Steps can take several documents, but these run once for each.
  const given = (one: Inputs) => (name === "steps" ? [one] : one);
  if (selection === undefined) return pw.run(name, given(only), params, options);
  const takesPages = parameters.find((parameter) => parameter.name === "pages");
  if (takesPages) return pw.run(name, only, { ...params, pages: takesPages.list ? [selection] : selection }, options);
  // The operation has no page selection, so it receives a document that contains only the selected pages.
  const chosen = await pw.merge(
    [{ input: only, pages: selection }],
    {
      output: params.output as string | undefined,
      currentOpenPassword: params.currentOpenPassword as string | undefined,
    },
    options,
  );
  keep(run, chosen);
  return pw.run(name, given(chosen), params, options);
}

/** Uploads an operand. Converts it to PDF if the operation accepts only PDFs. */
async function prepare(run: Run, { input }: OperationSchema, operand: Operand): Promise<Inputs> {
  const { pw, streams, options, made } = run;
  const { kind, value } = operand;
  if (input.kind === "text") return textOf(operand, streams) as never;
  if (kind === "address" && input.accepts !== "pdf") return value;
  const given = kind === "stdin" ? { stream: streams.stdin as AsyncIterable<Uint8Array>, name: "stdin" } : value;
  if (input.accepts !== "pdf") return kind === "stored" ? pw.stored(value) : given;
  if (kind === "path" && (await isPdf(value))) return value;
  const stored = kind === "stored" ? pw.stored(value) : await pw.upload(given, options);
  if (kind !== "stored") made.add(stored.id);
  const info = await stored.info(options);
  if (!needsConversion(info)) return stored;
  // If the URL refers to a web page, the service must render the page, not convert its HTML alone.
  const source = kind === "address" && info.type.startsWith("text/html") ? value : stored;
  const converted = await pw.pdf(source, { output: stemOf(operand) }, options);
  keep(run, converted);
  return converted;
}

/** Reports whether a file is a PDF by its content. */
export async function isPdf(path: string): Promise<boolean> {
  const file = await openPath(path);
  try {
    // A pipe can be read only once, so its content cannot be checked in advance.
    if (file.sizeBytes === undefined) return false;
    return Buffer.from(await file.read(0, 1024)).includes("%PDF-");
  } finally {
    await file.close();
  }
}

async function textOf({ kind, value, shown }: Operand, { stdin }: Streams): Promise<string> {
  if (kind !== "stdin" && kind !== "path") throw new PagewrightError(0, `${shown} is not a local file.`);
  const source = kind === "stdin" ? stdin : (await openHandle(value)).createReadStream();
  const chunks: Buffer[] = [];
  for await (const chunk of source) chunks.push(Buffer.from(chunk));
  return htmlIn(Buffer.concat(chunks), shown);
}
