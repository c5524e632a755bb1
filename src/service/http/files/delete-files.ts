// Deletes several stored files with one request.

import type { FoundFile } from "../../storage/file.ts";
import { reserveMemory } from "../../storage/memory-quota.ts";
import { LOOKUP_CONCURRENCY } from "../../storage/store.ts";
import type { RequestServices } from "../contract/endpoint.ts";
import { fieldRequired, notOwner, tooManyInputs } from "../contract/errors.ts";
import { runIdempotent } from "../pipeline/idempotency.ts";
import { readForm } from "../requests/read-form.ts";

/** Results of deletions. Clients compare these strings, so they must not change. */
export const REMOVED = "Successfully Deleted";
export const ALREADY_REMOVED = "File has already been deleted";
export const NOT_THERE = "The provided resource ID does not exist, or its file has expired.";

/**
 * Handles POST /delete.
 * @throws ServiceError 403 if at least one of the files exists, and the client can delete none of the existing files
 */
export async function handleDelete(
  request: Request,
  service: RequestServices,
  others: readonly string[] = [],
): Promise<Response> {
  const { store, config, timing } = service;
  const ids = await idsOf(request, service);
  if (ids.length === 0) throw fieldRequired("ids");
  if (ids.length > config.maxInputs) throw tooManyInputs();
  return runIdempotent(service, {
    content: ["/delete", ids, ...others],
    signal: request.signal,
    run: () =>
      timing.measure("store", async () => {
        const results: (readonly [id: string, result: string])[] = [];
        const found: FoundFile[] = [];
        for (let at = 0; at < ids.length; at += LOOKUP_CONCURRENCY) {
          const some = ids.slice(at, at + LOOKUP_CONCURRENCY);
          const files = await Promise.all(some.map((id) => store.find(id)));
          found.push(...files.filter((file) => file !== undefined));
          const entries = some.map(async (id, index) => [id, await resultFor(id, files[index], service)] as const);
          results.push(...(await Promise.all(entries)));
        }
        const deleted = results.flatMap(([id, result]) => (result === REMOVED ? [id] : []));
        const refusal = notOwner();
        if (deleted.length === 0 && results.some(([, result]) => result === refusal.message)) throw refusal;
        await store.retire(found.filter(({ id }) => deleted.includes(id)));
        return { response: Response.json({ deleted, deletionResponses: Object.fromEntries(results) }) };
      }),
    rollback: async () => {},
  });
}

/** Returns the result for an ID, after all permitted deletions. */
async function resultFor(id: string, file: FoundFile | undefined, { store, caller }: RequestServices): Promise<string> {
  if (!file) return (await store.isRetired(id)) ? ALREADY_REMOVED : NOT_THERE;
  return (caller?.mayDelete(file.marks) ?? true) ? REMOVED : notOwner().message;
}

async function idsOf(request: Request, service: RequestServices): Promise<string[]> {
  const { store, config, uploadSemaphore } = service;
  using memory = reserveMemory(service);
  const form = await readForm(request, {
    ...{ ...memory, store, uploadSemaphore, signal: request.signal, isTransient: true },
    maxFileBytes: 0,
    maxFiles: config.maxInputs,
  });
  const sent = (form.fields.get("ids") ?? []).flatMap((text) => text.split(/[\s,]+/)).filter((id) => id !== "");
  return [...new Set(sent)];
}
