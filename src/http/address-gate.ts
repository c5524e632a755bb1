// Asks the gate of web pages, which is in the container, about addresses before anybody connects to them.

import { OutOfRange } from "../core/failure.ts";
import { LIMITS } from "../core/limits.ts";
import { isNumber } from "../core/web-address.ts";
import { checkAddress } from "../operations/check-address.ts";
import { selectBackends, containerJob as inContainer } from "../placement/placement.ts";
import type { RequestServices } from "./endpoint.ts";
import { outOfRange } from "./errors.ts";
import { type UrlInput, requireWebUrl } from "./fetched.ts";
import { retryIfLost } from "./once-more.ts";

/** @throws OutOfRange if the gate refuses the address; errors of the container */
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
 * Refuses inputs whose addresses are numbers of places that may not be visited. The fetch asks the gate again: about
 * names, whose addresses change, and about all that the gate does not answer in a short time.
 * @throws ServiceError 400
 */
export async function rejectBlockedIpLiterals(
  inputs: readonly UrlInput[],
  signal: AbortSignal,
  service: RequestServices,
): Promise<void> {
  const limited = AbortSignal.any([signal, AbortSignal.timeout(LIMITS.addressChecksMs)]);
  const asked = new Set<string>();
  for (const input of inputs) {
    const { origin, hostname } = new URL(requireWebUrl(input));
    if (!isNumber(hostname) || asked.has(origin)) continue;
    asked.add(origin);
    try {
      await checkAddressAllowed(`${origin}/`, limited, service);
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof OutOfRange) throw outOfRange(input.parameter, input.url, error.why);
      return;
    }
  }
}
