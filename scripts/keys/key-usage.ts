// Reads the recorded usage of API keys from D1, or from a database of the host on Node.

import { UsageDatabase } from "../../host/storage/sqlite/usage-database.ts";
import { CREATE_TOKENS, CREATE_USAGE, READ_ALL_USAGE } from "../../src/service/keys/usage-table.ts";
import type { KeyUsage } from "../../src/service/ports/usage.ts";
import { runWrangler } from "../services/wrangler.ts";
import { type Namespace, withDatabase } from "./key-records.ts";

/** Returns the usage of all keys since a day, by key, day and operation. */
export async function readUsage(namespace: Namespace, since: string): Promise<readonly KeyUsage[]> {
  if (namespace === "remote") return readRemote(since);
  if ("persistTo" in namespace) return readLocal(namespace.persistTo, since);
  if ("database" in namespace) return withDatabase(namespace.database, ({ usage }) => usage.readAll(since));
  using database = await UsageDatabase.open(namespace.data);
  return await database.readAll(since);
}

/** Imports Miniflare on demand, because the container image does not include it. */
async function readLocal(persistTo: string, since: string): Promise<readonly KeyUsage[]> {
  const { openLocalStorage } = await import("../services/local-storage.ts");
  await using storage = await openLocalStorage(persistTo);
  for (const statement of [CREATE_USAGE, CREATE_TOKENS]) await storage.usage.prepare(statement).run();
  const { results } = await storage.usage.prepare(READ_ALL_USAGE).bind(since).all<KeyUsage>();
  return results;
}

/** @param since a valid day (YYYY-MM-DD): it is inserted into the SQL statement without escaping */
async function readRemote(since: string): Promise<readonly KeyUsage[]> {
  const statements = `${CREATE_USAGE}; ${CREATE_TOKENS}; ${READ_ALL_USAGE.replace("?", `'${since}'`)}`;
  const command = ["d1", "execute", "USAGE", "--remote", "--yes", "--json", "--command", statements];
  const results = JSON.parse(await runWrangler(command)) as { results: KeyUsage[] }[];
  return results.at(-1)!.results;
}
