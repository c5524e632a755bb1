// Reads the values of fields from stored files, whose IDs the client sent instead.
import { LIMITS } from "../../../document/contract/limits.ts";
import type { Store } from "../../storage/store.ts";
import type { Endpoint } from "../contract/endpoint.ts";
import { duplicateField, fileAndId, noSuchFile } from "../contract/errors.ts";
import { idFieldOf, isFilled, isSent } from "../contract/fields.ts";
import type { Form } from "../contract/form.ts";
import { chunksOf } from "./inputs.ts";

/**
 * Returns the form. For each field that was sent as a file ID, adds the text of the file as the value.
 * @throws ServiceError 400 if a field is present both as text and as an ID, or its ID is repeated; 404 if the file does
 *   not exist
 */
export async function withStoredFields({ fields }: Endpoint, form: Form, store: Store): Promise<Form> {
  const all = new Map(form.fields);
  for (const [name, { kind }] of Object.entries(fields)) {
    const idField = idFieldOf(name);
    if (kind.json?.file === undefined || !isSent(form, idField)) continue;
    if (isSent(form, name)) throw fileAndId();
    const [id, ...others] = form.fields.get(idField)!.filter(isFilled);
    if (others.length > 0) throw duplicateField(idField);
    all.set(name, [await beginningOf(id!.trim(), store)]);
  }
  return { ...form, fields: all };
}

/**
 * Returns the text of a stored file. A text above the limit is truncated slightly above it, which suffices to reject
 * it.
 */
async function beginningOf(id: string, store: Store): Promise<string> {
  const opened = await store.open(id);
  if (!opened) throw noSuchFile();
  const decoder = new TextDecoder();
  let text = "";
  for await (const chunk of chunksOf(opened.body)) {
    text += decoder.decode(chunk, { stream: true });
    if (text.length > LIMITS.jsonFileBytes) break;
  }
  return text + decoder.decode();
}
