// Chooses the response format from the headers Accept (RFC 9110, 12.5.1) and Prefer (RFC 7240).
import { parseAccept } from "hono/utils/accept";
import { notAcceptable } from "../contract/errors.ts";
import { parsePreferences } from "./preferences.ts";

/** `json`: IDs of stored files. `file`: the content of the only output. `archive`: all outputs, as a zip archive. */
export type ResponseFormat = "json" | "file" | "archive";

/** Media types of an endpoint's responses. */
export interface Offers {
  /** Media types that an output can have, without parameters. */
  readonly types: readonly string[];
  readonly naming: "name" | "prefix" | "list";
}

export interface Negotiation {
  /**
   * Returns the response format for one output.
   * @param type media type of the output, with or without parameters. @default any that an output can have
   * @throws ServiceError 406 if the client accepts no available format
   */
  formatForOne(type?: string): ResponseFormat;
  /**
   * Returns the response format for several outputs.
   * @throws ServiceError 406 if the client accepts no available format
   */
  formatForMany(): ResponseFormat;
  /** True if the response can be a file. Uploads are then not stored. */
  readonly mayReturnFile: boolean;
  /** True if a file is stored even if it is the response. */
  readonly storesFile: boolean;
  /** True if the client prefers that the file is stored. The response headers then contain its ID. */
  readonly returnsId: boolean;
  /** Equal for two requests whose headers result in the same response format. */
  readonly fingerprint: string;
}

/** Name of the header that makes a request idempotent (pipeline/idempotency.ts). */
export const IDEMPOTENCY_KEY_HEADER = "Idempotency-Key";
const JSON_TYPE = "application/json";
const ARCHIVE_TYPE = "application/zip";

/** @throws ServiceError 406 if the client accepts no format */
export function negotiate(headers: Headers, { types: ofFiles, naming }: Offers): Negotiation {
  const accept = headers.get("Accept");
  const archive: readonly [string, ResponseFormat][] = naming === "name" ? [] : [[ARCHIVE_TYPE, "archive"]];
  const formatFor = (types: readonly string[]) =>
    preferred(accept, [[JSON_TYPE, "json"], ...types.map((type) => [type, "file"] as const), ...archive]);
  const one = formatFor(ofFiles);
  const several = preferred(accept, [[JSON_TYPE, "json"], ...archive]);
  const types = [...new Set([JSON_TYPE, ...ofFiles, ...archive.map(([type]) => type)])];
  if (one === undefined && (several === undefined || naming === "name")) throw notAcceptable(types);
  const returnsId = storesToo(headers);
  return {
    formatForOne(type = "") {
      const [plain = ""] = type.split(";", 1);
      // The content of an archive has any type, which is not declared.
      return (ofFiles.includes(plain) ? formatFor([plain]) : one) ?? refuse(types);
    },
    formatForMany: () => several ?? refuse([JSON_TYPE, ...archive.map(([type]) => type)]),
    mayReturnFile: one !== "json" || (naming !== "name" && several !== "json"),
    // With an Idempotency-Key, the file is stored for replays.
    storesFile: returnsId || headers.has(IDEMPOTENCY_KEY_HEADER),
    returnsId,
    fingerprint: [one, several, returnsId].join(" "),
  };
}

function refuse(types: readonly string[]): never {
  throw notAcceptable(types);
}

/**
 * Returns the accepted offer with the highest quality; undefined if the client accepts no offer. Of several offers with
 * the same quality, returns the first.
 */
function preferred(
  accept: string | null,
  offers: readonly (readonly [string, ResponseFormat])[],
): ResponseFormat | undefined {
  let best: { readonly shape: ResponseFormat; readonly quality: number } | undefined;
  const ranges = parseAccept(accept ?? "")
    .map(({ type, q }) => ({ range: type.toLowerCase(), q }))
    // Some old clients send `*` instead of `*/*`.
    .map(({ range, q }) => ({ range: range === "*" ? "*/*" : range, q }))
    .filter(({ range }) => /^[^/\s]+\/[^/\s]+$/.test(range));
  for (const [type, shape] of offers) {
    // Without the header Accept, the client accepts any type.
    const quality = ranges.length === 0 ? 1 : qualityOf(type, ranges);
    if (quality > (best?.quality ?? 0)) best = { shape, quality };
  }
  return best?.shape;
}

/**
 * Returns the quality of a media type, from the most specific range that matches it. Ignores parameters of a range
 * other than `q`: clients send `charset`, but no response has variants that differ in parameters.
 */
function qualityOf(type: string, ranges: readonly { readonly range: string; readonly q: number }[]): number {
  for (const range of [type, type.replace(/\/.*/, "/*"), "*/*"]) {
    const matching = ranges.filter((one) => one.range === range);
    if (matching.length > 0) return Math.max(...matching.map(({ q }) => q));
  }
  return 0;
}

/** Reports whether the request prefers `return=representation; store`. */
function storesToo(headers: Headers): boolean {
  const wanted = parsePreferences(headers).get("return");
  return wanted?.value.toLowerCase() === "representation" && wanted.parameters.has("store");
}
