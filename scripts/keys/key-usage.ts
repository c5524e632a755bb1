// Reads the usage of API keys where a service records it: in D1, or in the database of the host on Node.

import { UsageDatabase } from "../../host/storage/sqlite/usage-database.ts";
import { CREATE_USAGE, READ_ALL_USAGE } from "../../src/service/keys/usage-table.ts";
import type { KeyUsage } from "../../src/service/ports/usage.ts";
import { runWrangler } from "../services/wrangler.ts";
import type { Namespace } from "./key-records.ts";

/** Returns the usage of all keys from a day on, by key, day and operation. */
export async function readUsage(namespace: Namespace, since: string): Promise<readonly KeyUsage[]> {
  if (namespace === "remote") return readRemote(since);
  if ("persistTo" in namespace) return readLocal(namespace.persistTo, since);
  using database = await UsageDatabase.open(namespace.data);
  return database.readAll(since);
}

/** Loads Miniflare only where it is used: the image of the service does not have it. */
async function readLocal(persistTo: string, since: string): Promise<readonly KeyUsage[]> {
  const { openLocalStorage } = await import("../services/local-storage.ts");
  await using storage = await openLocalStorage(persistTo);
  await storage.usage.prepare(CREATE_USAGE).run();
  const { results } = await storage.usage.prepare(READ_ALL_USAGE).bind(since).all<KeyUsage>();
  return results;
}

/** @param since a day, which can stand in a statement as it is */
async function readRemote(since: string): Promise<readonly KeyUsage[]> {
  const statements = `${CREATE_USAGE}; ${READ_ALL_USAGE.replace("?", `'${since}'`)}`;
  const command = ["d1", "execute", "USAGE", "--remote", "--yes", "--json", "--command", statements];
  const answers = JSON.parse(await runWrangler(command)) as { results: KeyUsage[] }[];
  return answers.at(-1)!.results;
}
