// Validates the webhook URLs of asynchronous requests (docs/api.md#webhooks).

import { OutOfRange } from "../../../document/contract/failure.ts";
import { LIMITS } from "../../../document/contract/limits.ts";
import { isPublicName, NOT_AN_ADDRESS, parseWebUrl } from "../../../document/contract/web-url.ts";
import type { Webhook } from "../../ports/jobs.ts";
import { secretsOf } from "../../ports/webhooks.ts";
import type { AsyncServices } from "../contract/endpoint.ts";
import { busy, invalidHeader, noSigningSecret, outOfRange, requiresAsync } from "../contract/errors.ts";
import { checkAddressAllowed } from "../requests/address-check.ts";

export const WEBHOOK_URL_HEADER = "Webhook-Url";

const MAKING_A_SECRET =
  "Operators make one with npm run keys -- secret, followed by the key in the keyed variant, and by --data with " +
  "DATA_DIR under npm run serve.";

/** @throws ServiceError 400 if a synchronous request contains a webhook URL */
export function rejectWebhook({ headers }: Request): void {
  if (headers.has(WEBHOOK_URL_HEADER)) throw requiresAsync(WEBHOOK_URL_HEADER);
}

/**
 * Returns the receiver of the webhook; undefined if the request has no Webhook-Url.
 * @throws ServiceError 400; 503 without a container
 */
export async function parseWebhook({ headers, signal }: Request, service: AsyncServices): Promise<Webhook | undefined> {
  const url = headers.get(WEBHOOK_URL_HEADER);
  if (url === null) return undefined;
  if (!/^[\x21-\x7e]+$/.test(url) || url.length > LIMITS.addressLength) throw invalidHeader(WEBHOOK_URL_HEADER);
  if (parseWebUrl(url) === undefined) throw outOfRange(WEBHOOK_URL_HEADER, url, NOT_AN_ADDRESS);
  const { signer, records } = service.signers;
  if ((await secretsOf(signer, records)).length === 0) throw noSigningSecret().because(MAKING_A_SECRET);
  if (!service.container) throw busy();
  const { href, hostname, port } = new URL(url);
  // A host name that looks public is accepted without asking the container, which might have to start first. Each
  // delivery checks the resolved IP address anyway.
  if (port === "" && isPublicName(hostname)) return { url: href, signer };
  try {
    await checkAddressAllowed(href, signal, service);
  } catch (error) {
    throw error instanceof OutOfRange ? outOfRange(WEBHOOK_URL_HEADER, href, error.why) : error;
  }
  return { url: href, signer };
}
