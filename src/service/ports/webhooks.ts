// Storage contract of webhooks: messages to clients about completed and failed jobs.

import type { KeyRecord, KeyRecords } from "./api-key.ts";
import type { JobStatus, Webhook } from "./jobs.ts";

/** One attempt to post a message. */
export interface WebhookMessage extends Webhook {
  /** ID of the job. */
  readonly id: string;
  /** Client ID. */
  readonly client: string;
  /** Time at which the job ended, in milliseconds since 1970. */
  readonly endedAt: number;
  /** Number of this attempt, from 1. */
  readonly attempt: number;
  readonly status: JobStatus;
}

export type DeliveryAttempt = Pick<WebhookMessage, "id" | "attempt">;

/** Outcome of an attempt. `taken`: delivered. `gone`: status 410. `failed`: any other result. `postponed`: not sent. */
export type DeliveryOutcome = "taken" | "gone" | "failed" | "postponed";

/** The messages of a {@link JobStore}, under the same rules: each call is atomic. */
export interface Deliveries {
  /**
   * Leases the next due message, first attempts first. Before that, attempts with an expired lease count as failed.
   * @returns undefined if none is due, or as many are posted as allowed (of the receiver, the client, in total)
   */
  dequeue(): Promise<WebhookMessage | undefined>;
  /**
   * Records an outcome, and schedules the next attempt after `failed` and `postponed`. Without effect if the attempt
   * lost its lease.
   * @returns false if the message is abandoned
   */
  recordOutcome(attempt: DeliveryAttempt, outcome: DeliveryOutcome): Promise<boolean>;
}

/** The record of the service itself, which signs where clients have no keys. Its name is not the hash of a key. */
export const SERVICE_SIGNER = "webhooks";

/** Returns the valid secrets, newest first; none if there is no such record. */
export async function secretsOf(signer: string, records: KeyRecords): Promise<readonly string[]> {
  return validSecrets(await records.get(signer, "json"));
}

export const validSecrets = (record: Pick<KeyRecord, "webhookSecrets"> | null): readonly string[] =>
  (record?.webhookSecrets ?? [])
    .filter(({ until }) => until === undefined || Date.parse(until) > Date.now())
    .map(({ secret }) => secret);
