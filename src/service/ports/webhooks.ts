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

/**
 * Outcome of an attempt. `taken`: delivered. `gone`: the receiver responded with status 410. `failed`: any other
 * response or error. `postponed`: the message was not sent.
 */
export type DeliveryOutcome = "taken" | "gone" | "failed" | "postponed";

/** The messages of a {@link JobStore}. Each call is atomic, as in the JobStore. */
export interface Deliveries {
  /**
   * Leases the next due message; messages that were not tried yet come first. Before that, records attempts with an
   * expired lease as failed.
   * @returns undefined if no message is due, or if the number of messages in transit has reached a limit: per receiver,
   *   per client or in total
   */
  dequeue(): Promise<WebhookMessage | undefined>;
  /**
   * Records an outcome. After `failed` and `postponed`, schedules the next attempt. Has no effect if the attempt lost
   * its lease.
   * @returns false if the message is abandoned
   */
  recordOutcome(attempt: DeliveryAttempt, outcome: DeliveryOutcome): Promise<boolean>;
}

/**
 * Name of the record with the service's own signing secrets, used in the private variant, where clients have no keys.
 * It cannot be the hash of a key.
 */
export const SERVICE_SIGNER = "webhooks";

/** Returns the valid secrets of a record, newest first; none if there is no such record. */
export async function secretsOf(signer: string, records: KeyRecords): Promise<readonly string[]> {
  return validSecrets(await records.get(signer, "json"));
}

export const validSecrets = (record: Pick<KeyRecord, "webhookSecrets"> | null): readonly string[] =>
  (record?.webhookSecrets ?? [])
    .filter(({ until }) => until === undefined || Date.parse(until) > Date.now())
    .map(({ secret }) => secret);
