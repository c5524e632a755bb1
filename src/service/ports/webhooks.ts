// Declares messages to clients about the end of their asynchronous jobs.

import type { KeyRecord, KeyRecords } from "./api-key.ts";
import type { JobStatus, Webhook } from "./jobs.ts";

/** A message whose turn has come. */
export interface DueDelivery extends Webhook {
  /** Id of the job. */
  readonly id: string;
  /** Identifier of the client. */
  readonly client: string;
  /** Time at which the job ended, in milliseconds since 1970. */
  readonly endedAt: number;
  /** Number of this attempt, from 1. */
  readonly attempt: number;
}

export interface WebhookMessage extends DueDelivery {
  readonly status: JobStatus;
}

/**
 * What came of an attempt. `taken`: the receiver has the message. `gone`: it wants none. `failed`: it did not take the
 * message. `postponed`: it was not asked.
 */
export type DeliveryOutcome = "taken" | "gone" | "failed" | "postponed";

/** The record of the service itself, which is no key: its name is not a hash. Signs where clients have no keys. */
export const SERVICE_SIGNER = "webhooks";

/** Returns the secrets that sign now, the newest first; none if there is no such record. */
export async function secretsOf(signer: string, records: KeyRecords): Promise<readonly string[]> {
  return validSecrets(await records.get(signer, "json"));
}

export const validSecrets = (record: Pick<KeyRecord, "webhookSecrets"> | null): readonly string[] =>
  (record?.webhookSecrets ?? [])
    .filter(({ until }) => until === undefined || Date.parse(until) > Date.now())
    .map(({ secret }) => secret);
