// Removes several stored files at once.

import type { FoundFile } from "../storage/file.ts";
import type { Service } from "./endpoint.ts";
import { fieldRequired, noSuchFile, notOwner, tooManyInputs } from "./errors.ts";
import { onlyOnce } from "./idempotency.ts";
import { readForm } from "./read-form.ts";

/** Limits concurrent lookups of ids; a Worker has six connections. */
const LOOKUPS_AT_ONCE = 6;

/**
 * Answers POST /delete.
 * @throws ServiceError 404 if none of the ids names a file, 403 if the caller may remove none
 */
export async function removeFiles(
  request: Request,
  service: Service,
  others: readonly string[] = [],
): Promise<Response> {
  const { store, config, timing, caller } = service;
  const ids = await idsOf(request, service);
  if (ids.length === 0) throw fieldRequired("ids");
  if (ids.length > config.maxInputs) throw tooManyInputs();
  return onlyOnce(service, {
    content: ["/delete", ids, ...others],
    signal: request.signal,
    carryOut: () =>
      timing.during("store", async () => {
        const all: FoundFile[] = [];
        for (let at = 0; at < ids.length; at += LOOKUPS_AT_ONCE) {
          const found = await Promise.all(ids.slice(at, at + LOOKUPS_AT_ONCE).map((id) => store.find(id)));
          all.push(...found.filter((file) => file !== undefined));
        }
        if (all.length === 0) throw noSuchFile();
        const deleted = all.filter(({ marks }) => caller?.mayRemove(marks) ?? true).map(({ id }) => id);
        if (deleted.length === 0) throw notOwner();
        await store.remove(deleted);
        return { response: Response.json({ deleted }) };
      }),
    undo: async () => {},
  });
}

async function idsOf(request: Request, service: Service): Promise<string[]> {
  const { store, config, kept, waiting, bodies, uploadTurns } = service;
  using keeping = kept.open();
  using held = bodies.open();
  using room = waiting.open();
  const form = await readForm(request, {
    ...{ store, keeping, waiting: room, held, uploadTurns, signal: request.signal },
    fileFields: new Set<string>(),
    textFields: new Set<string>(),
    jsonFileFields: new Set<string>(),
    isTransient: true,
    maxFileBytes: 0,
    maxFiles: config.maxInputs,
  });
  const sent = (form.fields.get("ids") ?? []).flatMap((text) => text.split(/[\s,]+/)).filter((id) => id !== "");
  return [...new Set(sent)];
}
