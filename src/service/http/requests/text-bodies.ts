// Parses bodies without files: JSON, and URL-encoded forms.

import { LIMITS } from "../../../document/contract/limits.ts";
import { isModestJson } from "../../../document/contract/parameters/json-shape.ts";
import { SECRET } from "../../../document/contract/parameters/text.ts";
import type { Batch } from "../../storage/batch.ts";
import type { ReceivedFile } from "../../storage/file.ts";
import { bodyTooLarge, fieldTooLarge, malformedJson, outOfRange, tooManyFields } from "../contract/errors.ts";
import { isFilled } from "../contract/fields.ts";
import { type Form, type FormOptions, maxParts } from "../contract/form.ts";
import { readWhole } from "./arriving-body.ts";
import { type FormEntry, grouped, parseName } from "./form-entries.ts";

type Body = ReadableStream<Uint8Array>;

/** @throws ServiceError 400 for a malformed body, or a password that is not a string; 408, 413, 503 */
export async function readJson(body: Body, uploads: Batch, options: FormOptions): Promise<Form> {
  const bytes = await readSmall(body, options);
  let value: unknown;
  try {
    const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: false }).decode(bytes);
    value = isModestJson(text) ? JSON.parse(text) : undefined;
  } catch {
    throw malformedJson();
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) throw malformedJson();
  const { fields, emptyLists } = entriesOf(value, options);
  return { ...(await formOf(fields, emptyLists, uploads, options)), encoding: "json" };
}

type EntryOptions = Pick<FormOptions, "textFields" | "jsonFileFields" | "passwordFields" | "maxFiles">;

/** Returns the fields of a JSON object, as a form would contain them. @throws ServiceError 400, 413 */
export function fieldsOfJson(value: object, options: EntryOptions): Pick<Form, "fields" | "order"> {
  const { fields, emptyLists } = entriesOf(value, options);
  return { fields: groupedWith(emptyLists, fields), order: fields.map(({ name }) => name) };
}

/** @returns `emptyLists`: names of the fields that are empty lists, because they differ from missing fields */
function entriesOf(value: object, options: EntryOptions) {
  const fields: FormEntry<string>[] = [];
  const emptyLists: string[] = [];
  for (const [spelling, given] of Object.entries(value)) {
    const { name } = parseName(spelling);
    const isJsonFile = options.jsonFileFields?.has(name);
    if (Array.isArray(given) && given.length === 0 && !isJsonFile) emptyLists.push(name);
    for (const item of Array.isArray(given) && !isJsonFile ? given : [given]) {
      if (item === null) continue;
      if (typeof item !== "string" && options.passwordFields?.has(name)) throw outOfRange(name, SECRET);
      addField(fields, spelling, typeof item === "string" ? item : JSON.stringify(item), options);
    }
  }
  return { fields, emptyLists };
}

export async function readUrlEncoded(body: Body, uploads: Batch, options: FormOptions): Promise<Form> {
  const text = new TextDecoder().decode(await readSmall(body, options));
  const fields: FormEntry<string>[] = [];
  for (const [spelling, value] of new URLSearchParams(text)) addField(fields, spelling, value, options);
  return { ...(await formOf(fields, [], uploads, options)), encoding: "urlencoded" };
}

/** @throws ServiceError 400, 408, 413, 503 */
async function readSmall(body: Body, { bodySize, bodyReservation }: FormOptions): Promise<Uint8Array> {
  const maxBytes = LIMITS.jsonBodyBytes;
  const bytes = await readWhole(body, { size: bodySize, maxBytes, reservation: bodyReservation });
  if (!bytes) throw bodyTooLarge(maxBytes);
  return bytes;
}

/** @throws ServiceError 413 if a value is too long, 400 if there are too many fields */
function addField(fields: FormEntry<string>[], spelling: string, value: string, options: EntryOptions): void {
  const { textFields, jsonFileFields, maxFiles } = options;
  const key = parseName(spelling);
  const isJsonFile = jsonFileFields?.has(key.name);
  if (value.length > LIMITS.fieldBytes && !textFields?.has(key.name) && !isJsonFile) throw fieldTooLarge(key.name);
  if (isJsonFile && !isFilled(value)) return;
  fields.push({ ...key, value });
  if (fields.length > maxParts(maxFiles)) throw tooManyFields();
}

async function formOf(
  fields: readonly FormEntry<string>[],
  emptyLists: readonly string[],
  uploads: Batch,
  { textFields }: FormOptions,
): Promise<Omit<Form, "encoding">> {
  const files: FormEntry<ReceivedFile>[] = [];
  for (const { name, index, value } of fields.filter(({ name }) => textFields?.has(name))) {
    const content = new TextEncoder().encode(value);
    files.push({ name, index, value: await uploads.add({ name, type: "text/plain", body: content }) });
  }
  const groups = groupedWith(emptyLists, fields);
  return { fields: groups, files: grouped(files), uploads, order: fields.map(({ name }) => name) };
}

function groupedWith(emptyLists: readonly string[], fields: readonly FormEntry<string>[]): Map<string, string[]> {
  const groups = grouped(fields);
  for (const name of emptyLists) if (!groups.has(name)) groups.set(name, []);
  return groups;
}
