// `npm run keys`: creates, lists and revokes the API keys of the keyed variant.

import { randomUUID } from "node:crypto";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import type { KeyEntry } from "../host/storage/key-database.ts";
import { hashKey } from "../src/core/api-key.ts";
import { forgetDevelopmentKey } from "./development-key.ts";
import { listKeys, type Namespace, putKeys } from "./key-records.ts";
import { root } from "./wrangler.ts";

const USAGE = `Usage:
  npm run keys -- create [--owner NAME] [--key VALUE]   prints the new key, only once
  npm run keys -- list
  npm run keys -- revoke <key, or first characters of its hash>

  --local            the keys of the service on this machine (default)
  --remote           the keys of the deployed service; uses wrangler's login or CLOUDFLARE_API_TOKEN
  --persist-to DIR   with --local: the folder of that service's storage (default .wrangler/keyed)
  --data DIR         the keys of a host on Node: its DATA_DIR`;

/** Number of digits of a hash that identify one key among many. */
const SHOWN_HASH_LENGTH = 12;
const MIN_PREFIX_LENGTH = 4;
/** Limits the owner, which is stored in KV metadata of at most 1024 bytes. */
const MAX_OWNER_BYTES = 256;

/** An exit that the message alone explains. */
class Refusal extends Error {}

try {
  await main();
} catch (error) {
  console.error((error as Error).message);
  process.exit(1);
}

async function main(): Promise<void> {
  const { values, positionals } = readArguments();
  if (values.help) return console.log(USAGE);
  const namespace = namespaceOf(values);

  const [command, ...rest] = positionals;
  if (command === "create" && rest.length === 0) return create(namespace, values.owner ?? "unnamed", values.key);
  if (command === "list" && rest.length === 0) return list(namespace);
  if (command === "revoke" && rest.length === 1) return revoke(namespace, rest[0] as string);
  throw new Refusal(USAGE);
}

function namespaceOf({ local, remote, data, "persist-to": persistTo }: Values): Namespace {
  if ([local || persistTo, remote, data].filter((chosen) => chosen).length > 1) {
    throw new Refusal(`Only one of --local, --remote and --data.\n\n${USAGE}`);
  }
  if (remote) return "remote";
  return data ? { data: resolve(data) } : { persistTo: resolve(persistTo ?? join(root, ".wrangler/keyed")) };
}

type Values = ReturnType<typeof readArguments>["values"];

function readArguments() {
  try {
    return parseArgs({
      allowPositionals: true,
      options: {
        owner: { type: "string" },
        key: { type: "string" },
        local: { type: "boolean" },
        remote: { type: "boolean" },
        "persist-to": { type: "string" },
        data: { type: "string" },
        help: { type: "boolean", short: "h" },
      },
    });
  } catch (error) {
    throw new Refusal(`${(error as Error).message}\n\n${USAGE}`);
  }
}

async function create(namespace: Namespace, owner: string, given: string | undefined): Promise<void> {
  // RFC 9110 section 5.5: characters that a header field can carry without loss.
  if (given !== undefined && !/^[\x21-\x7e]{1,256}$/.test(given)) {
    throw new Refusal("A key is 1 to 256 printable ASCII characters without spaces.");
  }
  if (Buffer.byteLength(owner) > MAX_OWNER_BYTES) throw new Refusal(`--owner is longer than ${MAX_OWNER_BYTES} bytes.`);
  const key = given ?? randomUUID();
  const hash = hashKey(key);
  // Also keeps a revoked key from becoming valid again.
  if (given !== undefined && (await listKeys(namespace)).some((entry) => entry.hash === hash)) {
    throw new Refusal("This key exists already (perhaps revoked): choose another one.");
  }
  await putKeys(namespace, [{ hash, owner, created: new Date().toISOString(), revoked: null }]);
  console.log(key);
}

async function list(namespace: Namespace): Promise<void> {
  const entries = await listKeys(namespace);
  if (entries.length === 0) return console.log("No keys.");
  const rows = entries.map(({ hash, owner, created, revoked }) => [
    hash.slice(0, SHOWN_HASH_LENGTH),
    owner,
    created,
    revoked ?? "-",
  ]);
  rows.unshift(["hash", "owner", "created", "revoked"]);
  const widths = rows[0]!.map((_, column) => Math.max(...rows.map((row) => row[column]!.length)));
  for (const row of rows)
    console.log(
      row
        .map((cell, column) => cell.padEnd(widths[column]!))
        .join("  ")
        .trimEnd(),
    );
}

async function revoke(namespace: Namespace, name: string): Promise<void> {
  const entry = find(await listKeys(namespace), name);
  const shown = `${entry.hash.slice(0, SHOWN_HASH_LENGTH)} (${entry.owner})`;
  if (entry.revoked !== null) return console.log(`${shown} was already revoked at ${entry.revoked}.`);
  await putKeys(namespace, [{ ...entry, revoked: new Date().toISOString() }]);
  if (typeof namespace === "object" && "persistTo" in namespace)
    await forgetDevelopmentKey(namespace.persistTo, entry.hash);
  // https://developers.cloudflare.com/kv/concepts/how-kv-works/#consistency
  console.log(
    `Revoked ${shown}.${namespace === "remote" ? " The change may take a minute to reach all locations." : ""}`,
  );
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
