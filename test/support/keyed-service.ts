// Adds keys with settings to a service that a test has started, and sends requests with them.

import { putKeys } from "../../scripts/keys/key-records.ts";
import { hashKey, type KeyRecord } from "../../src/service/ports/api-key.ts";
import type { ServiceAddress } from "./service.ts";

export type KeySettings = Omit<KeyRecord, "owner" | "created" | "revoked">;

/** Adds keys to a service, or changes their settings. */
export async function giveKeys(
  { target, persistTo }: Pick<ServiceAddress, "target" | "persistTo">,
  keys: Readonly<Record<string, KeySettings & { readonly revoked?: string }>>,
): Promise<void> {
  const entries = Object.entries(keys).map(([key, settings]) => ({
    ...{ hash: hashKey(key), owner: "tests", created: new Date().toISOString(), revoked: null },
    ...settings,
  }));
  await putKeys(target === "host" ? { data: persistTo } : { persistTo }, entries);
}

/** Sends a small form to /html. */
export function postHtml(url: string, key: string, headers: Record<string, string> = {}): Promise<Response> {
  const body = new FormData();
  body.set("output", "a");
  body.set("content", "<p>a");
  return fetch(`${url}/html`, { method: "POST", body, headers: { "Api-Key": key, ...headers } });
}

/** Returns the ID of the output file in a response. */
export const outputIdOf = async (response: Response): Promise<string> =>
  ((await response.json()) as { outputId: string }).outputId;
