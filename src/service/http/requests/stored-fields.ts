// Reads the values of fields from stored files, whose IDs the client sent instead.
import { LIMITS } from "../../../document/contract/limits.ts";
import { textOfFile } from "../../../document/contract/parameters/text.ts";
import type { Store } from "../../storage/store.ts";
import type { Endpoint, RequestServices } from "../contract/endpoint.ts";
import { duplicateField, fileAndId, noSuchFile, notOwner } from "../contract/errors.ts";
import { idFieldOf, isFilled, isSent } from "../contract/fields.ts";
import type { Form } from "../contract/form.ts";
import { chunksOf } from "./inputs.ts";

/**
 * Returns the form with the content of its secret files, such as private keys, instead of their IDs. Deletes these files,
 * so that they do not stay stored after the request that uses them.
 * @throws ServiceError 400 as {@link withStoredFields}, 403 if the client may not delete a file, 404
 */
export async function takeSecretFiles(
  { fields }: Endpoint,
  form: Form,
  { store, caller }: Pick<RequestServices, "store" | "caller">,
): Promise<Form> {
  const all = new Map(form.fields);
  for (const [name, { kind }] of Object.entries(fields)) {
    const id = kind.file === undefined ? undefined : idIn(form, name);
    if (id === undefined) continue;
    const file = await store.find(id);
    if (!file) throw noSuchFile();
    if (caller && !caller.mayDelete(file.marks)) throw notOwner();
    all.set(name, [textOfFile(await beginningOf(id, store))]);
    all.delete(idFieldOf(name));
    await store.retire([file]);
  }
  return { ...form, fields: all };
}

/** Returns the ID that was sent instead of the value of a field. @throws ServiceError 400 */
function idIn(form: Form, name: string): string | undefined {
  const idField = idFieldOf(name);
  if (!isSent(form, idField)) return undefined;
  if (isSent(form, name)) throw fileAndId();
  const [id, ...others] = form.fields.get(idField)!.filter(isFilled);
  if (others.length > 0) throw duplicateField(idField);
  return id!.trim();
}

/**
 * Returns the form. For each field that was sent as a file ID, adds the text of the file as the value.
 * @throws ServiceError 400 if a field is present both as text and as an ID, or its ID is repeated; 404 if the file does
 *   not exist
 */
export async function withStoredFields({ fields }: Endpoint, form: Form, store: Store): Promise<Form> {
  const all = new Map(form.fields);
  for (const [name, { kind }] of Object.entries(fields)) {
    const id = kind.json?.file === undefined ? undefined : idIn(form, name);
    if (id !== undefined) all.set(name, [new TextDecoder().decode(await beginningOf(id, store))]);
  }
  return { ...form, fields: all };
}

/** Returns the bytes of a stored file. A file above the limit is truncated above it, which suffices to reject it. */
async function beginningOf(id: string, store: Store): Promise<Uint8Array> {
  const opened = await store.open(id);
  if (!opened) throw noSuchFile();
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of chunksOf(opened.body)) {
    chunks.push(chunk);
    size += chunk.length;
    if (size > LIMITS.jsonFileBytes) break;
  }
  return Buffer.concat(chunks);
}
