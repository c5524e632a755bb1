// Creates the secrets that sign webhooks, for a key or for the service itself.

import { randomBytes } from "node:crypto";
import type { KeyEntry } from "../../host/storage/sqlite/key-database.ts";
import type { KeyRecord, SigningSecret } from "../../src/service/ports/api-key.ts";
import { SERVICE_SIGNER, validSecrets } from "../../src/service/ports/webhooks.ts";
import { listRecords, type Namespace } from "./key-records.ts";

const SECRET_BYTES = 32;
const PREFIX = "whsec_";
/** Time for which a replaced secret still signs. As long as a message is retried. */
const OVERLAP_MS = 24 * 3_600_000;

export interface SecretOptions {
  /** The secret to use. @default a random one, if the record has no secret or its secret is replaced */
  readonly given?: string | undefined;
  /** True to replace an existing secret. */
  readonly isRotated: boolean;
}

/**
 * Returns a copy of a record with a new first secret, which signs from now on. The replaced secret still signs for
 * {@link OVERLAP_MS}.
 * @throws Error for an invalid secret
 */
export function withSecret<T extends KeyRecord>(record: T, { given, isRotated }: SecretOptions): T {
  const [current] = validSecrets(record);
  if (current !== undefined && current === (given ?? (isRotated ? undefined : current))) return record;
  const secret = given === undefined ? PREFIX + randomBytes(SECRET_BYTES).toString("base64") : checked(given);
  const until = new Date(Date.now() + OVERLAP_MS).toISOString();
  const former: readonly SigningSecret[] = current === undefined ? [] : [{ secret: current, until }];
  return { ...record, webhookSecrets: [{ secret }, ...former] };
}

/** Returns the record of the service itself, whose secret signs webhooks in the private variant. */
export async function serviceRecord(namespace: Namespace): Promise<KeyEntry> {
  const records = await listRecords(namespace);
  const created = new Date().toISOString();
  return (
    records.find(({ hash }) => hash === SERVICE_SIGNER) ?? {
      ...{ hash: SERVICE_SIGNER, owner: "the service", created, revoked: created },
    }
  );
}

/** Checks a secret: 24 to 64 bytes in Base64 (Standard Webhooks, "Signature scheme"). */
function checked(given: string): string {
  const bytes = Buffer.from(given.slice(PREFIX.length), "base64");
  const isBase64 = bytes.toString("base64") === given.slice(PREFIX.length);
  if (given.startsWith(PREFIX) && isBase64 && bytes.length >= 24 && bytes.length <= 64) return given;
  throw new Error("--secret must be whsec_ and 24 to 64 bytes in base64.");
}
