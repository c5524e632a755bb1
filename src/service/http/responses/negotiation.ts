// Chooses the form of an answer by the request's header fields Accept (RFC 9110, 12.5.1) and its preferences (RFC 7240).
// Knows neither endpoints nor how an answer is made.
import { parseAccept } from "hono/utils/accept";
import { notAcceptable } from "../contract/errors.ts";
import { parsePreferences } from "./preferences.ts";

/** `json`: ids of stored files. `file`: the only output itself. `archive`: all outputs, as a zip archive. */
export type ResponseFormat = "json" | "file" | "archive";

/** Media types that an endpoint can answer with. */
export interface Offers {
  /** Media type of each output, without parameters. */
  readonly type: string;
  readonly naming: "name" | "prefix" | "list";
}

export interface Negotiation {
  /** Form of an answer with one output. @throws ServiceError 406 if the client accepts none */
  formatForOne(): ResponseFormat;
  /** Form of an answer with several. @throws ServiceError 406 if the client accepts none */
  formatForMany(): ResponseFormat;
  /** True if files may be answered with, so that what is sent need not be stored. */
  readonly mayReturnFile: boolean;
  /** True if a file that is the answer is stored as well. */
  readonly storesFile: boolean;
  /** True if the client asked for that, and is told the id. */
  readonly returnsId: boolean;
  /** The same for header fields that lead to the same form of the answer. */
  readonly fingerprint: string;
}

/** Name of the header field that makes a request repeatable (http/idempotency.ts). */
export const IDEMPOTENCY_KEY_HEADER = "Idempotency-Key";
const JSON_TYPE = "application/json";
const ARCHIVE_TYPE = "application/zip";

/** @throws ServiceError 406 if the client accepts no form at all */
export function negotiate(headers: Headers, { type, naming }: Offers): Negotiation {
  const accept = headers.get("Accept");
  const archive: readonly [string, ResponseFormat][] = naming === "name" ? [] : [[ARCHIVE_TYPE, "archive"]];
  const one = preferred(accept, [[JSON_TYPE, "json"], [type, "file"], ...archive]);
  const several = preferred(accept, [[JSON_TYPE, "json"], ...archive]);
  const types = [...new Set([JSON_TYPE, type, ...archive.map(([type]) => type)])];
  if (one === undefined && (several === undefined || naming === "name")) throw notAcceptable(types);
  const returnsId = storesToo(headers);
  return {
    formatForOne: () => one ?? refuse(types),
    formatForMany: () => several ?? refuse([JSON_TYPE, ...archive.map(([type]) => type)]),
    mayReturnFile: one !== "json" || (naming !== "name" && several !== "json"),
    // A repetition gets the same file.
    storesFile: returnsId || headers.has(IDEMPOTENCY_KEY_HEADER),
    returnsId,
    fingerprint: [one, several, returnsId].join(" "),
  };
}

function refuse(types: readonly string[]): never {
  throw notAcceptable(types);
}

/** Returns the offer of the highest quality, and of equal ones the first; undefined if none is accepted. */
function preferred(
  accept: string | null,
  offers: readonly (readonly [string, ResponseFormat])[],
): ResponseFormat | undefined {
  let best: { readonly shape: ResponseFormat; readonly quality: number } | undefined;
  const ranges = parseAccept(accept ?? "")
    .map(({ type, q }) => ({ range: type.toLowerCase(), q }))
    // Some clients of old send a lone asterisk.
    .map(({ range, q }) => ({ range: range === "*" ? "*/*" : range, q }))
    .filter(({ range }) => /^[^/\s]+\/[^/\s]+$/.test(range));
  for (const [type, shape] of offers) {
    // Without a range, any type is accepted.
    const quality = ranges.length === 0 ? 1 : qualityOf(type, ranges);
    if (quality > (best?.quality ?? 0)) best = { shape, quality };
  }
  return best?.shape;
}

/**
 * Returns the quality that the most specific range gives to a type. Parameters of a range other than `q` are ignored:
 * no answer has several variants that differ by them, and clients send `charset`.
 */
function qualityOf(type: string, ranges: readonly { readonly range: string; readonly q: number }[]): number {
  for (const range of [type, type.replace(/\/.*/, "/*"), "*/*"]) {
    const matching = ranges.filter((one) => one.range === range);
    if (matching.length > 0) return Math.max(...matching.map(({ q }) => q));
  }
  return 0;
}

/** Reports whether a client prefers `return=representation; store`. */
function storesToo(headers: Headers): boolean {
  const wanted = parsePreferences(headers).get("return");
  return wanted?.value.toLowerCase() === "representation" && wanted.parameters.has("store");
}
