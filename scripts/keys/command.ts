// The commands of `npm run keys`.

import { randomUUID } from "node:crypto";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import type { KeyEntry } from "../../host/storage/sqlite/key-database.ts";
import { LIMITS } from "../../src/document/contract/limits.ts";
import { NO_COUNTS, sumOf } from "../../src/service/keys/usage-table.ts";
import { hashKey, isKey } from "../../src/service/ports/api-key.ts";
import { type Counts, dayOf } from "../../src/service/ports/usage.ts";
import type { Variant } from "../services/dev-server.ts";
import { root } from "../services/wrangler.ts";
import { forgetDevelopmentKey } from "./development-key.ts";
import { listKeys, type Namespace, putKeys } from "./key-records.ts";
import { SETTING_OPTIONS, settingTexts, withSettings } from "./key-settings.ts";
import { readUsage } from "./key-usage.ts";
import { moveRecords } from "./move-records.ts";
import { serviceRecord, withSecret } from "./signing-secrets.ts";

const USAGE = `Usage:
  npm run keys -- create [--owner NAME] [--key VALUE] [SETTINGS]   prints the new key, only once
  npm run keys -- update <key, or first characters of its hash> [--owner NAME] SETTINGS
  npm run keys -- list
  npm run keys -- revoke <key, or first characters of its hash>
  npm run keys -- secret [<key, or first characters of its hash>] [--rotate] [--secret VALUE]
      prints the secret that signs webhooks to the key's owner; without a key, to all clients of the private variant
  npm run keys -- usage [--key <key, or first characters of its hash>] [--days N]
  npm run keys -- move --to postgres|sqlite --data DIR [--database URL]
      moves keys, usage and counts of limits between the databases of a host that is stopped

Settings; "none" removes one:
  --expires 2027-12-31          or days from now, such as 90d
  --scopes png,pdf              endpoints that the key may use
  --requests-per-minute N
  --concurrent-jobs N
  --megabytes-per-day N
  --stored-megabytes N
  --file-lifetime-hours N       lifetime of the files that the key makes
  --regions eu,weur             binds the key to regions (docs/regions.md)

  --local            the keys of the service on this machine (default)
  --remote           the keys of the deployed service; uses wrangler's login or CLOUDFLARE_API_TOKEN
  --persist-to DIR   with --local: the folder of that service's storage (default .wrangler/keyed;
                     of a secret without a key .wrangler/private)
  --data DIR         the keys of a host on Node: its DATA_DIR
  --database URL     the keys of hosts that share PostgreSQL: their DATABASE_URL. Without an option, that variable`;

/** Number of hex digits of a key's hash that lists show and arguments accept. */
const SHOWN_HASH_LENGTH = 12;
const MIN_PREFIX_LENGTH = 4;
/** Maximum size of the owner. The owner is stored in KV metadata, which has at most 1024 bytes. */
const MAX_OWNER_BYTES = 256;
const MAX_RECORD_BYTES = 1000;
const DEFAULT_DAYS = 30;
const DAY_MS = 86_400_000;

/** An error that is printed as its message, without a stack. */
class Refusal extends Error {}

/** Receives each line of the output. */
type Print = (line: string) => void;

/**
 * Runs a command.
 * @param args - the arguments of `npm run keys`
 * @throws Error with a message for the user
 */
export async function runKeys(args: readonly string[], print: Print): Promise<void> {
  const { values, positionals } = readArguments(args);
  if (values.help) return print(USAGE);
  const [command, ...rest] = positionals;
  if (command === "move" && rest.length === 0) return move(values, print);
  const isOfService = command === "secret" && rest.length === 0;
  const namespace = namespaceOf(values, isOfService ? "private" : "keyed");
  if (command === "secret" && rest.length <= 1) return secret(namespace, rest[0], values, print);
  if (command === "create" && rest.length === 0) return create(namespace, values, print);
  if (command === "update" && rest.length === 1) return update(namespace, rest[0] as string, values, print);
  if (command === "usage" && rest.length === 0) return usage(namespace, values, print);
  if (command === "list" && rest.length === 0) return list(namespace, print);
  if (command === "revoke" && rest.length === 1) return revoke(namespace, rest[0] as string, print);
  throw new Refusal(USAGE);
}

function namespaceOf(values: Values, variant: Variant): Namespace {
  const { local, remote, data, "persist-to": persistTo } = values;
  const chosen = [local || persistTo, remote, data, values.database].filter((option) => option);
  if (chosen.length > 1) throw new Refusal(`Only one of --local, --remote, --data and --database.\n\n${USAGE}`);
  if (remote) return "remote";
  const database = values.database ?? (chosen.length === 0 ? process.env.DATABASE_URL : undefined);
  if (database) return { database };
  return data ? { data: resolve(data) } : { persistTo: resolve(persistTo ?? join(root, ".wrangler", variant)) };
}

type Values = ReturnType<typeof readArguments>["values"];

function readArguments(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        ...SETTING_OPTIONS,
        owner: { type: "string" },
        key: { type: "string" },
        days: { type: "string" },
        secret: { type: "string" },
        rotate: { type: "boolean" },
        local: { type: "boolean" },
        remote: { type: "boolean" },
        "persist-to": { type: "string" },
        data: { type: "string" },
        database: { type: "string" },
        to: { type: "string" },
        help: { type: "boolean", short: "h" },
      },
    });
  } catch (error) {
    throw new Refusal(`${(error as Error).message}\n\n${USAGE}`);
  }
}

async function create(
  namespace: Namespace,
  { owner = "unnamed", key: given, ...settings }: Values,
  print: Print,
): Promise<void> {
  if (given !== undefined && !isKey(given)) {
    throw new Refusal("A key is 1 to 256 printable ASCII characters without spaces.");
  }
  const key = given ?? randomUUID();
  const hash = hashKey(key);
  const entry = checked(
    await withSettings({ hash, owner, created: new Date().toISOString(), revoked: null }, settings),
  );
  // Rejects revoked keys too, so that they do not become valid again.
  if (given !== undefined && (await listKeys(namespace)).some((entry) => entry.hash === hash)) {
    throw new Refusal("This key exists already (perhaps revoked): choose another one.");
  }
  await putKeys(namespace, [entry]);
  print(key);
}

/** @throws Refusal if the record is too large for KV metadata */
function checked(entry: KeyEntry): KeyEntry {
  const { hash: _, ...record } = entry;
  if (Buffer.byteLength(entry.owner) > MAX_OWNER_BYTES) {
    throw new Refusal(`--owner is longer than ${MAX_OWNER_BYTES} bytes.`);
  }
  if (/\p{Cc}/u.test(entry.owner)) throw new Refusal("--owner is one line of text.");
  if (Buffer.byteLength(JSON.stringify(record)) > MAX_RECORD_BYTES) {
    throw new Refusal("The owner and the settings are too long together: name fewer scopes.");
  }
  return entry;
}

async function update(namespace: Namespace, name: string, { owner, ...settings }: Values, print: Print): Promise<void> {
  const entry = find(await listKeys(namespace), name);
  const changed = checked(await withSettings({ ...entry, ...(owner === undefined ? {} : { owner }) }, settings));
  await putKeys(namespace, [changed]);
  const { expires } = changed;
  const settled = [...settingTexts(changed), ...(expires === undefined ? [] : [`until ${expires}`])];
  print(`Updated ${shown(changed)}: ${settled.join(", ") || "no settings"}.${delay(namespace)}`);
}

async function secret(namespace: Namespace, name: string | undefined, values: Values, print: Print): Promise<void> {
  const entry = name === undefined ? await serviceRecord(namespace) : find(await listKeys(namespace), name);
  const changed = checked(withSecret(entry, { given: values.secret, isRotated: values.rotate === true }));
  if (changed !== entry) await putKeys(namespace, [changed]);
  print(changed.webhookSecrets![0]!.secret);
}

async function usage(namespace: Namespace, { key, days = String(DEFAULT_DAYS) }: Values, print: Print): Promise<void> {
  const count = /^\d{1,4}$/.test(days) ? Number(days) : 0;
  if (count < 1 || count > LIMITS.usageDays) throw new Refusal(`--days is a number from 1 to ${LIMITS.usageDays}.`);
  const entries = await listKeys(namespace);
  const only = key === undefined ? undefined : find(entries, key).hash;
  const all = await readUsage(namespace, dayOf(Date.now() - (count - 1) * DAY_MS));
  const rows = only === undefined ? all : all.filter(({ key }) => key === only);
  if (rows.length === 0) return print("No usage.");
  const owners = new Map(entries.map(({ hash, owner }) => [hash, owner]));
  const cells = ({ requests, errors, bytesIn, bytesOut, tokens }: Counts) =>
    [requests, errors, bytesIn, bytesOut, tokens].map(String);
  printTable(
    [
      ["hash", "owner", "day", "operation", "requests", "errors", "bytes in", "bytes out", "tokens"],
      ...rows.map((row) => [
        ...[row.key.slice(0, SHOWN_HASH_LENGTH), owners.get(row.key) ?? "-", row.day, row.operation],
        ...cells(row),
      ]),
      ["total", "", "", "", ...cells(rows.reduce(sumOf, NO_COUNTS))],
    ],
    print,
  );
}

async function move({ data, database = process.env.DATABASE_URL, to }: Values, print: Print): Promise<void> {
  if (to !== "postgres" && to !== "sqlite") throw new Refusal("--to is postgres or sqlite.");
  if (!data || !database) throw new Refusal("move needs --data, and --database or the variable DATABASE_URL.");
  const { keys, usage, clients } = await moveRecords({ data: resolve(data), database, to });
  print(`Moved: ${keys} keys, ${usage} rows of usage, counts of clients: ${clients}.`);
}

async function list(namespace: Namespace, print: Print): Promise<void> {
  const entries = await listKeys(namespace);
  if (entries.length === 0) return print("No keys.");
  const rows = entries.map((entry) => [
    ...[entry.hash.slice(0, SHOWN_HASH_LENGTH), entry.owner, entry.created, entry.revoked ?? "-"],
    ...[entry.expires ?? "-", settingTexts(entry).join(", ") || "-"],
  ]);
  printTable([["hash", "owner", "created", "revoked", "expires", "settings"], ...rows], print);
}

function printTable(rows: readonly (readonly string[])[], print: Print): void {
  const widths = rows[0]!.map((_, column) => Math.max(...rows.map((row) => row[column]!.length)));
  for (const row of rows) {
    const cells = row.map((cell, column) => cell.padEnd(widths[column]!));
    print(cells.join("  ").trimEnd());
  }
}

async function revoke(namespace: Namespace, name: string, print: Print): Promise<void> {
  const entry = find(await listKeys(namespace), name);
  if (entry.revoked !== null) return print(`${shown(entry)} was already revoked at ${entry.revoked}.`);
  await putKeys(namespace, [{ ...entry, revoked: new Date().toISOString() }]);
  if (typeof namespace === "object" && "persistTo" in namespace)
    await forgetDevelopmentKey(namespace.persistTo, entry.hash);
  print(`Revoked ${shown(entry)}.${delay(namespace)}`);
}

function shown({ hash, owner }: KeyEntry): string {
  return `${hash.slice(0, SHOWN_HASH_LENGTH)} (${owner})`;
}

/**
 * Returns a warning for a deployed Worker, because KV is cached:
 * https://developers.cloudflare.com/kv/concepts/how-kv-works/#consistency
 */
function delay(namespace: Namespace): string {
  return namespace === "remote" ? " The change may take a minute to reach all locations." : "";
}

function find(entries: readonly KeyEntry[], name: string): KeyEntry {
  const exact = entries.find(({ hash }) => hash === hashKey(name));
  if (exact) return exact;
  const prefix = name.toLowerCase();
  const matches = prefix.length < MIN_PREFIX_LENGTH ? [] : entries.filter(({ hash }) => hash.startsWith(prefix));
  if (matches.length > 1) {
    throw new Refusal(`${matches.length} keys have a hash that starts with ${prefix}: give more characters of it.`);
  }
  if (matches.length === 0) {
    throw new Refusal(
      `No key matches. Give the key itself, or at least ${MIN_PREFIX_LENGTH} characters of its hash ` +
        `as "list" shows it.`,
    );
  }
  return matches[0] as KeyEntry;
}
