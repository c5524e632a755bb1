// Posts a message about a completed or failed asynchronous job, signed according to Standard Webhooks
// (docs/api.md#webhooks).

import { Webhook } from "standardwebhooks";
import { EngineFailure } from "../../../document/contract/failure.ts";
import { LIMITS } from "../../../document/contract/limits.ts";
import type { Context, Input, Output } from "../../../document/contract/operation.ts";
import { postWebhook } from "../../outbound/post-webhook.ts";
import type { ConnectedContainer } from "../../placement/connection.ts";
import { NotAccepted } from "../../placement/exchange.ts";
import { type Backends, containerJob as inContainer, selectBackends } from "../../placement/placement.ts";
import { retryIfLost } from "../../placement/retry-lost.ts";
import type { KeyRecords } from "../../ports/api-key.ts";
import { RecordsUnavailable } from "../../ports/records-unavailable.ts";
import { type DeliveryOutcome, secretsOf, type WebhookMessage } from "../../ports/webhooks.ts";
import { statusJson } from "./job-status.ts";

export interface DeliveryService extends Backends, Pick<Context, "log" | "defer"> {
  readonly container: ConnectedContainer | undefined;
  /** API key records, which contain the signing secrets. */
  readonly records: KeyRecords;
}

const GONE = 410;

/** Tries once to post a message. */
export async function deliverWebhook(message: WebhookMessage, service: DeliveryService): Promise<DeliveryOutcome> {
  const { attempt } = message;
  const { log } = service;
  try {
    const secrets = await secretsOf(message.signer, service.records);
    if (secrets.length === 0) throw new Error("there is no signing secret");
    const status = await post(message, secrets, service);
    if (status >= 200 && status < 300) {
      log("webhook delivered", { attempt, status });
      return "taken";
    }
    log("webhook not delivered", { attempt, status });
    return status === GONE ? "gone" : "failed";
  } catch (error) {
    log("webhook not delivered", { attempt, error: String(error) });
    return isOfService(error) ? "postponed" : "failed";
  }
}

/** Another host might be able to post the message, for example if this one runs without Chromium. */
const isOfService = (error: unknown) =>
  error instanceof NotAccepted ||
  error instanceof RecordsUnavailable ||
  (error instanceof EngineFailure && error.reason === "busy");

/** @returns the status of the receiver's response */
async function post(message: WebhookMessage, secrets: readonly string[], service: DeliveryService): Promise<number> {
  const { id, url } = message;
  const text = messageText(message);
  const now = new Date();
  const headers = {
    "Content-Type": "application/json",
    "webhook-id": id,
    "webhook-timestamp": String(Math.floor(now.getTime() / 1000)),
    "webhook-signature": secrets.map((secret) => new Webhook(secret).sign(id, now, text)).join(" "),
  };
  const input = inputOf(new TextEncoder().encode(text));
  const [attempt] = selectBackends(inContainer(postWebhook, { url, headers }), [input], service);
  const { container, log, defer } = service;
  const signal = AbortSignal.timeout(LIMITS.webhookMs);
  const once = async () => {
    let response = "";
    for await (const output of attempt.run({ signal, log, defer })) response = await textIn(output);
    if (response === "") throw new EngineFailure("crashed", "a message without a response");
    return (JSON.parse(response) as { readonly status: number }).status;
  };
  return retryIfLost(once, { container, signal, log });
}

/** Returns the body of the message: type and time of the event, and the status as `/request-status/{id}` returns it. */
function messageText({ id, endedAt, status }: WebhookMessage): string {
  const type = `job.${status.status}`;
  return `{"type":"${type}","timestamp":"${new Date(endedAt).toISOString()}","data":${statusJson(id, status)}}`;
}

const inputOf = (bytes: Uint8Array): Input => ({
  ...{ name: "message.json", size: bytes.length },
  bytes: async () => bytes,
  async *stream() {
    yield bytes;
  },
});

async function textIn({ body }: Output): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  for await (const chunk of body as AsyncIterable<Uint8Array>) text += decoder.decode(chunk, { stream: true });
  return text;
}
