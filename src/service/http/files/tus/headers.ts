// Parses the headers of tus 1.0 requests, and lists the supported extensions.

import { createHash } from "node:crypto";
import { crc32 } from "node:zlib";
import { safeName } from "../../../../document/contract/file-name.ts";
import { LIMITS } from "../../../../document/contract/limits.ts";
import { invalidHeader, wrongPatchType, wrongTusVersion } from "../../contract/errors.ts";

export const TUS_VERSION = "1.0.0";
export const EXTENSIONS = ["creation", "creation-with-upload", "checksum", "termination"];
/** Media type of a body with upload bytes. */
export const PATCH_TYPE = "application/offset+octet-stream";

interface Digest {
  update(chunk: Uint8Array): void;
  /** Returns the checksum in base64. */
  end(): string;
}

const hash = (name: string) => (): Digest => {
  const digest = createHash(name);
  return { update: (chunk) => void digest.update(chunk), end: () => digest.digest("base64") };
};

export const CHECKSUMS: Readonly<Record<string, () => Digest>> = {
  sha256: hash("sha256"),
  sha1: hash("sha1"),
  md5: hash("md5"),
  crc32() {
    let value = 0;
    return {
      update(chunk) {
        value = crc32(chunk, value);
      },
      end() {
        const bytes = new Uint8Array(4);
        new DataView(bytes.buffer).setUint32(0, value);
        return btoa(String.fromCharCode(...bytes));
      },
    };
  },
};

/** A checksum, updated as the body arrives. */
export interface Checksum {
  update(chunk: Uint8Array): void;
  isRight(): boolean;
}

/** @throws ServiceError 412 */
export function requireVersion(headers: Headers): void {
  if (headers.get("Tus-Resumable") !== TUS_VERSION) throw wrongTusVersion(TUS_VERSION);
}

/**
 * Rejects headers of unsupported extensions. If the service ignored Upload-Concat, for example, each partial upload
 * would become a separate file.
 * @throws ServiceError 400
 */
export function requireKnownExtensions(headers: Headers): void {
  for (const name of ["Upload-Concat", "Upload-Defer-Length"]) if (headers.has(name)) throw invalidHeader(name);
}

/**
 * Parses a header that contains a number of bytes.
 * @throws ServiceError 400
 */
export function parseByteCount(headers: Headers, name: "Upload-Length" | "Upload-Offset"): number {
  const text = headers.get(name) ?? "";
  if (!/^\d{1,15}$/.test(text)) throw invalidHeader(name);
  return Number(text);
}

/** Returns the size of the body in bytes, if the client sent it. */
export function bodySizeOf(headers: Headers): number | undefined {
  const text = headers.get("Content-Length");
  return text === null ? undefined : Number(text);
}

/** Reports whether the body contains upload bytes. */
export function isPatch(headers: Headers): boolean {
  return (headers.get("Content-Type") ?? "").split(";")[0]?.trim().toLowerCase() === PATCH_TYPE;
}

/** @throws ServiceError 415 */
export function requirePatch(headers: Headers): void {
  if (!isPatch(headers)) throw wrongPatchType();
}

/**
 * Returns the checksum of a body, if the client sent one.
 * @throws ServiceError 400 for an unsupported algorithm or an invalid value
 */
export function checksumOf(headers: Headers): Checksum | undefined {
  const text = headers.get("Upload-Checksum");
  if (text === null) return undefined;
  const [, algorithm = "", expected] = /^(\w+) ([A-Za-z0-9+/]+={0,2})$/.exec(text.trim()) ?? [];
  const create = Object.hasOwn(CHECKSUMS, algorithm) ? CHECKSUMS[algorithm] : undefined;
  if (!create || expected?.length !== create().end().length) throw invalidHeader("Upload-Checksum");
  const digest = create();
  return { update: (chunk) => digest.update(chunk), isRight: () => digest.end() === expected };
}

export interface Metadata {
  /** The unchanged header value. */
  readonly text: string;
  /** Name of the file, without characters that are unsafe in file names. */
  readonly name: string;
}

/**
 * Parses Upload-Metadata: pairs of a key and a base64 value. Ignores the media type, because the service detects it
 * from the content.
 * @throws ServiceError 400
 */
export function parseMetadata(headers: Headers): Metadata {
  const text = headers.get("Upload-Metadata") ?? "";
  if (text.length > LIMITS.uploadMetadataLength) throw invalidHeader("Upload-Metadata");
  const values = new Map<string, string>();
  for (const pair of text.trim() === "" ? [] : text.split(",")) {
    const [, key, encoded = ""] = /^([\x21-\x2b\x2d-\x7e]+)(?: +(\S*))?$/.exec(pair.trim()) ?? [];
    const value = decode(encoded);
    if (key === undefined || value === undefined || values.has(key)) throw invalidHeader("Upload-Metadata");
    values.set(key, value);
  }
  return { text, name: safeName(values.get("filename") ?? "") || "file" };
}

/** Returns the Upload-Metadata of a file with this name. */
export const metadataFor = (name: string): string =>
  `filename ${btoa(String.fromCharCode(...new TextEncoder().encode(name)))}`;

function decode(base64: string): string | undefined {
  try {
    return new TextDecoder().decode(Uint8Array.from(atob(base64), (character) => character.charCodeAt(0)));
  } catch {
    return undefined;
  }
}
