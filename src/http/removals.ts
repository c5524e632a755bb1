// Removes several stored files at once.

import type { Service } from "./endpoint.ts";
import { fieldRequired, noSuchFile, tooManyInputs } from "./errors.ts";
import { readForm } from "./read-form.ts";

/** Limits concurrent lookups of ids; a Worker has six connections. */
const LOOKUPS_AT_ONCE = 6;

/**
 * Answers POST /delete.
 * @throws ServiceError 404 if none of the ids names a file
 */
export async function removeFiles(request: Request, service: Service): Promise<Response> {
  const { store, config, timing } = service;
  const ids = await idsOf(request, service);
  if (ids.length === 0) throw fieldRequired("ids");
  if (ids.length > config.maxInputs) throw tooManyInputs();
  return timing.during("store", async () => {
    const deleted: string[] = [];
    for (let at = 0; at < ids.length; at += LOOKUPS_AT_ONCE) {
      const found = await Promise.all(ids.slice(at, at + LOOKUPS_AT_ONCE).map((id) => store.find(id)));
      deleted.push(...found.flatMap((file) => (file ? [file.id] : [])));
    }
    if (deleted.length === 0) throw noSuchFile();
    await store.remove(deleted);
    return Response.json({ deleted });
  });
}

async function idsOf(request: Request, { store, config, kept, waiting, uploadTurns }: Service): Promise<string[]> {
  using keeping = kept.open();
  using room = waiting.open();
  const form = await readForm(request, {
    ...{ store, keeping, waiting: room, uploadTurns, signal: request.signal },
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
