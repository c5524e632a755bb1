// Checks, in the container, whether the service is allowed to connect to the hosts of URLs.

import { OutOfRange } from "../../../document/contract/failure.ts";
import { LIMITS } from "../../../document/contract/limits.ts";
import { isNumber } from "../../../document/contract/web-url.ts";
import { checkAddress } from "../../outbound/check-address.ts";
import { containerJob as inContainer, selectBackends } from "../../placement/placement.ts";
import { retryIfLost } from "../../placement/retry-lost.ts";
import type { RequestServices } from "../contract/endpoint.ts";
import { outOfRange } from "../contract/errors.ts";
import { requireWebUrl, type UrlInput } from "./url-inputs.ts";

/** @throws OutOfRange if the address is blocked; EngineFailure if the container fails */
export async function checkAddressAllowed(url: string, signal: AbortSignal, service: RequestServices): Promise<void> {
  const { container, log, defer } = service;
  const [attempt] = selectBackends(inContainer(checkAddress, { url }), [], service);
  await retryIfLost(
    async () => {
      for await (const _ of attempt.run({ signal, log, defer }));
    },
    { container, signal, log },
  );
}

/**
 * Rejects inputs whose URLs contain blocked IP addresses. Ignores host names, whose addresses can change, and checks
 * that time out: the later fetch checks every address.
 * @throws ServiceError 400
 */
export async function rejectBlockedIpLiterals(
  inputs: readonly UrlInput[],
  signal: AbortSignal,
  service: RequestServices,
): Promise<void> {
  const limited = AbortSignal.any([signal, AbortSignal.timeout(LIMITS.addressChecksMs)]);
  const checked = new Set<string>();
  for (const input of inputs) {
    const { origin, hostname } = new URL(requireWebUrl(input));
    if (!isNumber(hostname) || checked.has(origin)) continue;
    checked.add(origin);
    try {
      await checkAddressAllowed(`${origin}/`, limited, service);
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof OutOfRange) throw outOfRange(input.parameter, input.url, error.why);
      return;
    }
  }
}
