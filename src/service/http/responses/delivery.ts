// Sends the output of a request to the address in its field output_url (docs/api.md#delivery-to-an-address).

import { EngineFailure, OutOfRange } from "../../../document/contract/failure.ts";
import type { Input } from "../../../document/contract/operation.ts";
import { SECRET } from "../../../document/contract/parameters/text.ts";
import { isPublicName } from "../../../document/contract/web-url.ts";
import { readWhole } from "../../../operations/in-memory.ts";
import { delay } from "../../../runtime/delay.ts";
import { putFile } from "../../outbound/put-file.ts";
import { containerJob as inContainer, selectBackends } from "../../placement/placement.ts";
import { retryIfLost } from "../../placement/retry-lost.ts";
import { OUTPUT_URL } from "../contract/declaration/output-url.ts";
import type { DeliveryOptions, RequestServices } from "../contract/endpoint.ts";
import { notDelivered, outOfRange } from "../contract/errors.ts";
import { checkAddressAllowed } from "../requests/address-check.ts";
import type { Negotiation } from "./negotiation.ts";

const ATTEMPTS = 2;
const RETRY_MS = 1_000;
const TOO_EARLY_OR_MANY = [408, 425, 429];
/** Azure requires the type of a blob. Other stores do not sign the header, and ignore it. */
const AZURE = /\.blob\.core\.windows\.net$/;

/**
 * Returns the response format of a delivered output: a file, or an archive of several outputs, which is stored until it
 * is delivered.
 */
export const delivering = (wishes: Negotiation): Negotiation => ({
  ...wishes,
  formatForOne: () => "file",
  formatForMany: () => "archive",
  storesFile: true,
});

/**
 * Checks an address before the job runs. A host name that looks public is accepted, because each attempt checks its IP
 * address.
 * @throws ServiceError 400 if the address is not public
 */
export async function checkDelivery(address: string, signal: AbortSignal, service: RequestServices): Promise<void> {
  const { origin, hostname, port } = new URL(address);
  if (port === "" && isPublicName(hostname)) return;
  await withField(() => checkAddressAllowed(`${origin}/`, signal, service));
}

/**
 * Sends a file. Tries again once if the server is unreachable or fails for a reason of its own; sending a file twice has
 * the same result.
 * @throws ServiceError 400 if the address is not public, 422 if the server does not take the file
 * @throws EngineFailure `busy` without a container
 */
export async function deliver(file: Input, address: string, how: Delivery, to: DeliveryContext): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    const answer = await withField(() => put(file, address, how, to));
    if (typeof answer === "number" && answer >= 200 && answer < 300) {
      return to.service.log("output delivered", { attempt, status: answer, bytes: file.size });
    }
    to.service.log("output not delivered", { attempt, status: answer });
    const isFinal = typeof answer === "number" && answer < 500 && !TOO_EARLY_OR_MANY.includes(answer);
    if (isFinal || attempt === ATTEMPTS) throw notDelivered(typeof answer === "number" ? `status ${answer}` : answer);
    await delay(RETRY_MS, to.signal);
  }
}

interface Delivery extends DeliveryOptions {
  /** Media type of the file. */
  readonly type: string;
}

interface DeliveryContext {
  readonly service: RequestServices;
  readonly signal: AbortSignal;
}

/** @returns the status of the response */
async function put(
  file: Input,
  address: string,
  { type, method, headers: further }: Delivery,
  { service, signal }: DeliveryContext,
): Promise<number | "no response"> {
  const { href, hostname } = new URL(address);
  const headers = {
    ...further,
    "Content-Type": type,
    ...(AZURE.test(hostname) ? { "x-ms-blob-type": "BlockBlob" } : {}),
  };
  const [attempt] = selectBackends(
    inContainer(putFile, { url: href, headers, ...(method ? { method } : {}) }),
    [file],
    service,
  );
  const { container, log, defer } = service;
  try {
    return await retryIfLost(
      async () => {
        let text = "{}";
        for await (const { body } of attempt.run({ signal, log, defer })) {
          text = new TextDecoder().decode(await readWhole(body));
        }
        return (JSON.parse(text) as { readonly status?: number }).status ?? 0;
      },
      { container, signal, log },
    );
  } catch (error) {
    if (error instanceof EngineFailure && error.reason === "unreachable") return "no response";
    throw error;
  }
}

/** Names the field, but not its value, in the error for an address that is not public. */
async function withField<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw error instanceof OutOfRange ? outOfRange(OUTPUT_URL, SECRET, error.why) : error;
  }
}
