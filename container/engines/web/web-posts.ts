// Posts messages to receivers on the web, at addresses that the allow list for web pages permits. Follows no redirects.
// Reads only the response's status.

import { EngineFailure, OutOfRange } from "../../../src/document/contract/failure.ts";
import type { Input } from "../../../src/document/contract/operation.ts";
import { isPublicName, NOT_PUBLIC } from "../../../src/document/contract/web-url.ts";
import { withTimeout } from "../../../src/runtime/rpc.ts";
import { CONTAINER_LIMITS } from "../../limits.ts";
import { AddressBlocked } from "../chromium/network/web-addresses.ts";
import type { WebRequest, WebRequests } from "./web-requests.ts";

/** Number of bytes allowed for headers, in addition to the message. */
const BESIDE_THE_MESSAGE_BYTES = 2 ** 20;

export class WebPosts {
  readonly #requests: WebRequests;

  constructor(requests: WebRequests) {
    this.#requests = requests;
  }

  /**
   * Checks a URL without connecting to it. A public name that does not resolve at the moment is valid. @throws
   * OutOfRange for `url`, if its address is blocked
   */
  async check(address: string): Promise<void> {
    const url = new URL(address);
    try {
      await this.#requests.admit(url);
    } catch (error) {
      if (error instanceof AddressBlocked || !isPublicName(url.hostname))
        throw new OutOfRange("url", url.host, NOT_PUBLIC);
    }
  }

  /**
   * Posts a message, without retries. @returns the response's status @throws OutOfRange for `url`, if its address is
   * blocked
   * @throws EngineFailure `unreachable` if there is no response in time
   * @throws the signal's reason when aborted
   */
  async post(
    address: string,
    headers: Readonly<Record<string, string>>,
    body: Uint8Array,
    signal: AbortSignal,
  ): Promise<number> {
    const { webhookResponseMs: answerMs } = CONTAINER_LIMITS;
    return this.#send(address, { method: "POST", headers, body, answerMs }, body.length, signal);
  }

  /** Sends a file, without retries. Returns and throws the same as {@link post}. */
  async send(
    address: string,
    request: Pick<WebRequest, "method" | "headers">,
    file: Pick<Input, "size" | "stream">,
    signal: AbortSignal,
  ): Promise<number> {
    const { deliveryMs: answerMs } = CONTAINER_LIMITS;
    return this.#send(address, { ...request, body: file.stream(), answerMs }, file.size, signal);
  }

  async #send(
    address: string,
    { answerMs, headers, ...what }: WebRequest,
    bodyBytes: number,
    signal: AbortSignal,
  ): Promise<number> {
    const visit = this.#requests.visit({ bytes: bodyBytes + BESIDE_THE_MESSAGE_BYTES, requests: 1 });
    const end = () => visit.end();
    signal.addEventListener("abort", end);
    const all = { ...headers, "Content-Length": bodyBytes, Connection: "close" };
    try {
      const request = { ...what, headers: all, answerMs };
      const { statusCode } = await withTimeout(answerMs, () => this.#requests.send(new URL(address), visit, request));
      return statusCode ?? 0;
    } catch (error) {
      signal.throwIfAborted();
      // Reports only the host, because the rest of the URL might contain a secret of the receiver.
      if (error instanceof AddressBlocked) throw new OutOfRange("url", new URL(address).host, NOT_PUBLIC);
      throw new EngineFailure("unreachable", String(error), { cause: error });
    } finally {
      end();
      signal.removeEventListener("abort", end);
    }
  }
}
