// Requests time stamps (RFC 3161).
import { createHash, randomBytes } from "node:crypto";
import { EngineFailure } from "../contract/failure.ts";
import { LIMITS } from "../contract/limits.ts";
import { isEqual, readCms } from "../signing/cms.ts";
import { elementsIn, firstElement, numberIn, TAG } from "../signing/der.ts";
import { element, identifier, integer, octets, sequence, yes } from "../signing/der-writer.ts";
import { timeStampIn } from "../signing/time-stamp.ts";
import { isIntact } from "../signing/verify.ts";
import { DIGEST_IDENTIFIERS } from "../signing/write-cms.ts";

const NONCE_BYTES = 8;
/** Status values of responses with a token: granted, and granted with modifications. */
const GRANTED = 1;
const MAX_RESPONSE_BYTES = 64 * 1024;
/** Time for which an authority that did not respond is not asked again, because each wait keeps a place for a job. */
const PAUSE_MS = 15_000;
const askedAgainAt = new Map<string, number>();

/**
 * Requests a time stamp for bytes.
 * @param address the operator's time stamp authority, which can be private
 * @returns the token
 * @throws EngineFailure `time-stamp-failed`
 */
export async function requestTimeStamp(address: string, bytes: Uint8Array, signal: AbortSignal): Promise<Uint8Array> {
  const digest = createHash("sha256").update(bytes).digest();
  // The first bit would be the sign of the number.
  const nonce = randomBytes(NONCE_BYTES).map((byte, at) => (at === 0 ? (byte & 0x7f) | 0x40 : byte));
  const imprint = sequence(sequence(identifier(DIGEST_IDENTIFIERS.sha256)), octets(digest));
  const query = sequence(integer(1), imprint, element(TAG.integer, nonce), yes);
  const timeout = AbortSignal.timeout(LIMITS.timeStampMs);
  try {
    if (Date.now() < (askedAgainAt.get(address) ?? 0)) throw new Error("it did not respond shortly before");
    const response = await fetch(address, {
      ...{ method: "POST", body: query as Uint8Array<ArrayBuffer>, redirect: "manual" },
      headers: { "Content-Type": "application/timestamp-query", Accept: "application/timestamp-reply" },
      signal: AbortSignal.any([signal, timeout]),
    });
    if (!response.ok) throw new Error(`status ${response.status}`);
    return tokenIn(await bodyOf(response), digest);
  } catch (error) {
    signal.throwIfAborted();
    if (timeout.aborted) askedAgainAt.set(address, Date.now() + PAUSE_MS);
    throw new EngineFailure("time-stamp-failed", String(error), { cause: error });
  }
}

async function bodyOf({ body }: Response): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body ?? []) {
    size += chunk.length;
    if (size > MAX_RESPONSE_BYTES) throw new Error("the response is too long");
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** Returns the token of a response (2.4.2), after checking that it stamps the digest. */
function tokenIn(response: Uint8Array, digest: Uint8Array): Uint8Array {
  const [info, token] = elementsIn(firstElement(response).content);
  const status = info && numberIn(firstElement(info.content));
  if (!token || status === undefined || status > GRANTED) throw new Error(`status ${status} of the authority`);
  const signature = readCms(token.bytes);
  const stamp = signature.content && timeStampIn(signature.content);
  if (!stamp || !isEqual(stamp.digest, digest)) throw new Error("it stamps other bytes");
  if (isIntact(signature, [signature.content!]) === false) throw new Error("its signature is invalid");
  return token.bytes;
}
