// Asynchronous requests: the output, or the error, is sent to addresses of the client.

import { attachment } from "../document/contract/file-name.ts";
import { LIMITS } from "../document/contract/limits.ts";
import { memoryInput } from "../document/contract/operation.ts";
import type { DeliveryOptions, RequestServices } from "../service/http/contract/endpoint.ts";
import { ServiceError, toServiceError } from "../service/http/contract/errors.ts";
import { checkDelivery, deliver } from "../service/http/responses/delivery.ts";
import { foreignError } from "./errors.ts";
import { headerTexts } from "./fields.ts";

const METHODS = ["POST", "PATCH", "PUT"] as const;
type Method = (typeof METHODS)[number];
type HeaderTexts = Readonly<Record<string, string>>;

export interface ForeignWebhook {
  readonly url: string;
  readonly errorUrl: string | undefined;
  readonly eventsUrl: string | undefined;
  readonly method: Method;
  readonly errorMethod: Method;
  readonly headers: HeaderTexts;
}

const PREFIX = "Gotenberg-Webhook-";

/**
 * Returns the receivers of an asynchronous request; undefined for a synchronous one.
 * @throws ServiceError 400
 */
export function webhookIn(headers: Headers, trace: string): ForeignWebhook | undefined {
  const at = (name: string) => headers.get(PREFIX + name) || undefined;
  const url = at("Url");
  if (url === undefined) return undefined;
  const [errorUrl, eventsUrl] = [at("Error-Url"), at("Events-Url")];
  const wrong = (sentence: string) => new ServiceError(400, sentence);
  if (errorUrl === undefined && eventsUrl === undefined) {
    throw wrong(`At least one of '${PREFIX}Error-Url' or '${PREFIX}Events-Url' headers must be provided`);
  }
  for (const address of [url, errorUrl, eventsUrl]) {
    if (address !== undefined && !/^https?:$/.test(URL.parse(address)?.protocol ?? "")) {
      throw wrong(`'${address}' is not an http or https URL`);
    }
  }
  const methodIn = (name: string): Method => {
    const given = at(name)?.toUpperCase() ?? "POST";
    const method = METHODS.find((one) => one === given);
    if (method) return method;
    throw wrong(`Invalid '${PREFIX}${name}' header value: expected 'POST', 'PATCH' or 'PUT', but got '${given}'`);
  };
  const further = at("Extra-Http-Headers");
  const extra = further === undefined ? {} : headerTexts.read(further);
  if (!extra) throw wrong(`Invalid '${PREFIX}Extra-Http-Headers' header value: expected ${headerTexts.expected}`);
  return {
    ...{ url, errorUrl, eventsUrl, method: methodIn("Method"), errorMethod: methodIn("Error-Method") },
    headers: { "User-Agent": "Gotenberg", ...extra, "Gotenberg-Trace": trace },
  };
}

/** @throws ServiceError 400 if an address is not public */
export async function checkWebhook(
  webhook: ForeignWebhook,
  signal: AbortSignal,
  service: RequestServices,
): Promise<void> {
  for (const url of [webhook.url, webhook.errorUrl, webhook.eventsUrl]) {
    if (url !== undefined) await checkDelivery(url, signal, service);
  }
}

/** Returns how an output of this name is sent. */
export const deliveryOf =
  ({ method, headers }: ForeignWebhook) =>
  (name: string): DeliveryOptions => {
    const isNamed = Object.keys(headers).some((header) => header.toLowerCase() === "content-disposition");
    return { method, headers: { ...headers, ...(isNamed ? {} : { "Content-Disposition": attachment(name) }) } };
  };

/** Tells the client that its output has been sent, or the error. */
export async function report(webhook: ForeignWebhook, error: unknown, service: RequestServices): Promise<void> {
  const { errorUrl, eventsUrl, errorMethod, headers } = webhook;
  const common = { correlationId: headers["Gotenberg-Trace"], timestamp: new Date().toISOString() };
  if (error === undefined) return send(eventsUrl, { event: "webhook.success", ...common }, "POST", headers, service);
  const about = foreignError(toServiceError(error));
  await send(errorUrl, about, errorMethod, headers, service);
  await send(eventsUrl, { event: "webhook.error", ...common, error: about }, "POST", headers, service);
}

async function send(
  url: string | undefined,
  body: object,
  method: Method,
  headers: HeaderTexts,
  service: RequestServices,
) {
  if (url === undefined) return;
  const message = memoryInput(new TextEncoder().encode(JSON.stringify(body)), "message.json");
  const signal = AbortSignal.timeout(LIMITS.webhookMs);
  try {
    await deliver(message, url, { type: "application/json", method, headers }, { service, signal });
  } catch (error) {
    service.log("webhook not delivered", { error: String(error) });
  }
}
