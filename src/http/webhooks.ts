// Accepts the receivers that clients name for the end of their asynchronous jobs (docs/api.md#webhooks).

import { OutOfRange } from "../core/failure.ts";
import type { Webhook } from "../core/jobs.ts";
import { LIMITS } from "../core/limits.ts";
import { isPublicName, NOT_AN_ADDRESS, webAddress } from "../core/web-address.ts";
import { secretsOf } from "../core/webhooks.ts";
import { askGate } from "./address-gate.ts";
import type { QueuedService } from "./endpoint.ts";
import { busy, invalidHeader, noSigningSecret, onlyAsynchronous, outOfRange } from "./errors.ts";

export const WEBHOOK_FIELD = "Webhook-Url";

const MAKING_A_SECRET =
  "Operators make one with npm run keys -- secret, followed by the key in the keyed variant, and by --data with " +
  "DATA_DIR under npm run serve.";

/** @throws ServiceError 400 if a request whose client waits names a receiver */
export function refuseWebhook({ headers }: Request): void {
  if (headers.has(WEBHOOK_FIELD)) throw onlyAsynchronous(WEBHOOK_FIELD);
}

/**
 * Returns the receiver that a request names, if it does.
 * @throws ServiceError 400; 503 without a container
 */
export async function webhookOf({ headers, signal }: Request, service: QueuedService): Promise<Webhook | undefined> {
  const url = headers.get(WEBHOOK_FIELD);
  if (url === null) return undefined;
  if (!/^[\x21-\x7e]+$/.test(url) || url.length > LIMITS.addressLength) throw invalidHeader(WEBHOOK_FIELD);
  if (webAddress(url) === undefined) throw outOfRange(WEBHOOK_FIELD, url, NOT_AN_ADDRESS);
  const { signer, records } = service.signers;
  if ((await secretsOf(signer, records)).length === 0) throw noSigningSecret().because(MAKING_A_SECRET);
  if (!service.container) throw busy();
  const { href, hostname, port } = new URL(url);
  // Each delivery asks the gate again, so a request to a public name need not wait for an instance to start.
  if (port === "" && isPublicName(hostname)) return { url: href, signer };
  try {
    await askGate(href, signal, service);
  } catch (error) {
    throw error instanceof OutOfRange ? outOfRange(WEBHOOK_FIELD, href, error.why) : error;
  }
  return { url: href, signer };
}
