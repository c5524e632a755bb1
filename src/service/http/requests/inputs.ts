// Resolves the inputs of a request (files, IDs, a URL or a text) to stored or received files.

import { EngineFailure } from "../../../document/contract/failure.ts";
import type { Input } from "../../../document/contract/operation.ts";
import type { ReceivedFile, StoredFile } from "../../storage/file.ts";
import { LOOKUP_CONCURRENCY, type Store } from "../../storage/store.ts";
import {
  duplicateField,
  eitherRequired,
  fieldRequired,
  fileAndId,
  fileIdAndUrl,
  inputOrderMismatch,
  noInput,
  noSuchFile,
  outOfRange,
  tooFewInputs,
  tooManyFiles,
  tooManyInputs,
} from "../contract/errors.ts";
import { isFilled, isSent, listName } from "../contract/fields.ts";
import type { Form } from "../contract/form.ts";
import {
  furtherInputsOf,
  type Inputs,
  type MainInput,
  mainInputOf,
  missingInput,
  type NamedInput,
  type OneInput,
  type SeveralInputs,
} from "../contract/input-declaration.ts";
import { ChunkReader, readBytes } from "./chunk-reader.ts";
import { mismatch } from "./mismatch.ts";
import type { UrlInput } from "./url-inputs.ts";

/** An uploaded or stored file. A further file, such as an image to add, has a role. */
export type InputFile = (ReceivedFile | StoredFile) & Pick<Input, "role" | "step">;

const CHUNK_BYTES = 2 ** 18;

/** The services for resolving inputs. */
export interface ResolveOptions {
  readonly store: Store;
  /**
   * Fetches the file at a URL.
   * @returns undefined if it will be fetched later
   */
  receive(addressed: UrlInput): Promise<InputFile | undefined>;
  readonly maxInputs: number;
}

/**
 * Resolves the inputs of a request to files. Omits inputs that will be fetched later.
 * @throws ServiceError 400 if the number of inputs is wrong, 404 if an ID is unknown
 */
export async function resolveInputs(inputs: Inputs, sent: Form, where: ResolveOptions): Promise<readonly InputFile[]> {
  const form = withOthersApart(inputs, sent);
  const sources = [...(await locateMain(mainInputOf(inputs), form, where))];
  const further = furtherInputsOf(inputs);
  const isGiven = (field: string): boolean => {
    const { file, id, url } = further.find((named) => named.file === field) ?? { file: field, id: field, url: field };
    return [file, id, url].some((name) => form.files.has(name) || isSent(form, name));
  };
  for (const named of further) {
    const { file, insteadOf, isOptional } = named;
    const isThere = isGiven(file);
    if (insteadOf !== undefined && isThere === isGiven(insteadOf)) throw eitherRequired(file, insteadOf);
    if (isThere) sources.push(...(await locateFurther(named, form, where)));
    else if (!isOptional && insteadOf === undefined) throw fieldRequired(file);
  }
  return sources;
}

/** Matches the names of HTML files. */
const PAGE_NAME = /\.x?html?$/i;

/** Moves additional `file` parts to the list of further files that the endpoint declares for them. */
function withOthersApart({ file }: Inputs, form: Form): Form {
  const others = file?.kind === "one" ? file.othersAs : undefined;
  const files = form.files.get(MAIN_FIELDS.file) ?? [];
  if (others === undefined || files.length < 2) return form;
  const page = files.find(({ name }) => /^index\.html?$/i.test(name)) ?? files.find(({ name }) => PAGE_NAME.test(name));
  if (!page) return form;
  const rest = files.filter((one) => one !== page);
  return {
    ...form,
    files: new Map([...form.files, ["file", [page]], [others, [...rest, ...(form.files.get(others) ?? [])]]]),
    order: [...rest.map(() => others), ...form.order.filter((name) => name !== MAIN_FIELDS.file)],
  };
}

async function locateMain(input: MainInput, form: Form, where: ResolveOptions): Promise<readonly InputFile[]> {
  switch (input.kind) {
    case "none":
      return [];
    case "text":
      return locateText(input.field, form);
    case "several":
      return locateSeveral(input, form, where);
    case "one":
      return locateOne(input, MAIN_FIELDS, form, where);
  }
}

async function locateFurther(input: NamedInput, form: Form, where: ResolveOptions): Promise<readonly InputFile[]> {
  const { role, isList = false } = input;
  const found = isList ? await locateList(input, input, form, where) : await locateOne(input, input, form, where);
  return found.map((one) => ({ ...one, role }));
}

function locateText(field: string, form: Form): readonly InputFile[] {
  const texts = form.files.get(field) ?? [];
  if (texts.length > 1) throw duplicateField(field);
  if (texts.length === 0 || texts[0]!.size === 0) throw fieldRequired(field);
  return texts;
}

/** The alternative fields with which a client can send one file. */
type InputFields = Pick<NamedInput, "file" | "id" | "url">;
const MAIN_FIELDS: InputFields = { file: "file", id: "id", url: "url" };

async function locateOne(
  input: OneInput,
  named: InputFields,
  form: Form,
  { store, receive }: ResolveOptions,
): Promise<readonly InputFile[]> {
  const { accepts = () => true, acceptsAlso = () => false, webPages = false, description } = input;
  const files = form.files.get(named.file) ?? [];
  const ids = filledValues(form, named.id);
  const urls = filledValues(form, named.url);
  // In a JSON body, the file field can be present with a text value. It counts as a file, so that the error is the
  // same.
  const hasFile = files.length > 0 || filledValues(form, named.file).length > 0;
  if (hasFile && ids.length > 0) throw fileAndId();
  if (urls.length > 0 && (hasFile || ids.length > 0)) throw fileIdAndUrl();
  if (urls.length > 1) throw duplicateField(named.url);
  if (files.length + ids.length > 1) throw named === MAIN_FIELDS ? tooManyFiles() : duplicateField(named.file);
  if (files.length + ids.length + urls.length === 0) throw missingInput(input);
  const addressed = urls[0] === undefined ? undefined : { url: urls[0], parameter: named.url, mayBePage: webPages };
  const found = addressed ? await receive(addressed) : (files[0] ?? (await known(ids[0]!, store)));
  if (!found) return [];
  if (!accepts(found.type) && !acceptsAlso(found.type)) throw mismatch(found, description);
  return [found];
}

async function locateSeveral(input: SeveralInputs, form: Form, where: ResolveOptions): Promise<readonly InputFile[]> {
  const { orderedBy, perInput = [] } = input;
  const count = countInputs(MAIN_FIELDS, form, where);
  if (orderedBy !== undefined) {
    const wrong = form.fields.get(orderedBy)?.find((kind) => kindsOf([kind.trim()], MAIN_FIELDS).length === 0);
    if (wrong !== undefined) throw outOfRange(listName(orderedBy), wrong);
  }
  for (const name of orderedBy === undefined ? perInput : [orderedBy, ...perInput]) {
    const values = form.fields.get(name)?.length ?? 0;
    if (values === 0) throw fieldRequired(listName(name));
    if (count > values) throw tooManyInputs();
    if (count < values) throw tooFewInputs();
  }
  return locateList(input, MAIN_FIELDS, form, where);
}

/** Resolves the files, IDs and URLs of a list in the declared order, or in order of arrival. */
async function locateList(
  { orderedBy, accepts = () => true, converts = false, webPages = false, description }: Omit<SeveralInputs, "kind">,
  named: InputFields,
  form: Form,
  where: ResolveOptions,
): Promise<readonly InputFile[]> {
  const count = countInputs(named, form, where);
  const stored = await lookUp(filledValues(form, named.id), where.store);
  const urls = filledValues(form, named.url);
  const next = { file: (form.files.get(named.file) ?? []).values(), id: stored.values(), url: urls.values() };
  const order = orderedBy === undefined ? form.order : form.fields.get(orderedBy)!.map((kind) => kind.trim());
  const sources: InputFile[] = [];
  for (const kind of kindsOf(order, named)) {
    const { done, value } = next[kind].next();
    // The order of arrival includes empty IDs, which refer to no input.
    if (done && orderedBy !== undefined) throw inputOrderMismatch(listName(orderedBy));
    if (done) continue;
    const isUrl = typeof value === "string";
    const source = isUrl
      ? await where.receive({ url: value, parameter: listName(named.url), mayBePage: webPages })
      : value;
    if (source) sources.push(source);
  }
  const wrongAt = sources.findIndex(({ type }) => !accepts(type));
  if (wrongAt < 0 || converts) return sources;
  throw mismatch(sources[wrongAt]!, description, { number: wrongAt + 1, of: count });
}

/** @throws ServiceError 400 if there is no input, or there are too many */
function countInputs({ file, id, url }: InputFields, form: Form, { maxInputs }: ResolveOptions): number {
  const count = (form.files.get(file) ?? []).length + filledValues(form, id).length + filledValues(form, url).length;
  if (count === 0) throw noInput();
  if (count > maxInputs) throw tooManyInputs();
  return count;
}

const KINDS = ["file", "id", "url"] as const;

/** Maps field names to kinds of inputs. */
const kindsOf = (names: readonly string[], fields: InputFields) =>
  names.flatMap((name) => KINDS.filter((kind) => fields[kind] === name));

/** Returns the non-empty values of a field. */
const filledValues = (form: Form, name: string): string[] =>
  (form.fields.get(name) ?? []).filter(isFilled).map((text) => text.trim());

async function lookUp(ids: readonly string[], store: Store): Promise<StoredFile[]> {
  const found: StoredFile[] = [];
  for (let at = 0; at < ids.length; at += LOOKUP_CONCURRENCY) {
    found.push(...(await Promise.all(ids.slice(at, at + LOOKUP_CONCURRENCY).map((id) => known(id, store)))));
  }
  return found;
}

async function known(id: string, store: Store): Promise<StoredFile> {
  const found = await store.find(id);
  if (!found) throw noSuchFile();
  return found;
}

/** Returns the ID of an input after it has been stored. */
export const idOf = async (source: InputFile) => ("stored" in source ? (await source.stored).id : source.id);

/** @returns the input for an operation, which reads the content on demand */
export function toInput(source: InputFile, store: Store): Input {
  const { name, size } = source;
  const inMemory = "bytes" in source ? source.bytes : undefined;
  const open = async () => {
    const found = await store.open(await idOf(source));
    if (!found) throw noSuchFile();
    return found.body;
  };
  return {
    ...{ name, size, detectedType: source.type },
    ...("folder" in source ? { folder: source.folder } : {}),
    ...("modified" in source ? { modified: source.modified } : {}),
    ...(source.role === undefined ? {} : { role: source.role }),
    ...(source.step === undefined ? {} : { step: source.step }),
    async *stream() {
      if (inMemory) yield inMemory;
      else yield* chunksOf(await open());
    },
    async bytes() {
      if (inMemory || size === 0) return inMemory ?? new Uint8Array(0);
      const bytes = await readBytes(await open(), size);
      if (bytes.length !== size) throw new EngineFailure("crashed", `a file of ${size} bytes has only ${bytes.length}`);
      return bytes;
    },
  };
}

/**
 * Merges chunks into chunks of {@link CHUNK_BYTES}. R2 returns chunks of 4 KiB, and each chunk costs a turn of the
 * event loop.
 */
export async function* chunksOf(body: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array> {
  const pieces = new ChunkReader(body, CHUNK_BYTES);
  try {
    for (let piece = await pieces.read(); piece; piece = await pieces.read()) yield piece;
  } finally {
    await pieces.cancel();
  }
}
