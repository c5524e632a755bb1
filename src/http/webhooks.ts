// Accepts the receivers that clients name for the end of their asynchronous jobs (docs/api.md#webhooks).

import { OutOfRange } from "../core/failure.ts";
import type { Webhook } from "../core/jobs.ts";
import { LIMITS } from "../core/limits.ts";
import { isPublicName, webAddress } from "../core/web-address.ts";
import { secretsOf } from "../core/webhooks.ts";
import { checkAddress } from "../operations/check-address.ts";
import { attempts, container as inContainer } from "../placement/placement.ts";
import type { QueuedService, Service } from "./endpoint.ts";
import { busy, invalidHeader, noSigningSecret, onlyAsynchronous, outOfRange } from "./errors.ts";
import { onceMoreIfLost } from "./once-more.ts";

export const WEBHOOK_FIELD = "Webhook-Url";

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
  if (webAddress(url) === undefined) throw outOfRange(WEBHOOK_FIELD, url);
  const { signer, records } = service.signers;
  if ((await secretsOf(signer, records)).length === 0) throw noSigningSecret();
  if (!service.container) throw busy();
  const { href, hostname, port } = new URL(url);
  // Each delivery asks the gate again, so a request to a public name need not wait for an instance to start.
  if (port !== "" || !isPublicName(hostname)) await askGate(href, signal, service);
  return { url: href, signer };
}

/** @throws ServiceError 400 if the gate of web pages refuses the address */
async function askGate(url: string, signal: AbortSignal, service: Service): Promise<void> {
  const { container, log, defer } = service;
  const [attempt] = attempts(inContainer(checkAddress, { url }), [], service);
  try {
    await onceMoreIfLost(
      async () => {
        for await (const _ of attempt.run({ signal, log, defer }));
      },
      { container, signal, log },
    );
  } catch (error) {
    if (error instanceof OutOfRange) throw outOfRange(WEBHOOK_FIELD, url);
    throw error;
  }
}
