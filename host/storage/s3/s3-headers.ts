// Converts object properties to S3 headers, and S3 headers to object properties.

import type { BucketMetadata, BucketObject } from "../../../src/service/ports/bucket.ts";

const CUSTOM = "x-amz-meta-";

export const quoted = (etag: string): string => `"${etag}"`;
export const unquoted = (etag: string): string => etag.replace(/^(?:W\/)?"(.*)"$/, "$1");

export function headersOf({ httpMetadata, customMetadata = {} }: BucketMetadata): Record<string, string> {
  return {
    "Content-Type": httpMetadata?.contentType ?? "application/octet-stream",
    ...Object.fromEntries(Object.entries(customMetadata).map(([name, value]) => [CUSTOM + name, value])),
  };
}

/** Parses the response to a GET or HEAD. */
export function objectFrom(key: string, { headers }: Response): BucketObject {
  const range = headers.get("Content-Range");
  const custom = [...headers].filter(([name]) => name.startsWith(CUSTOM));
  return {
    key,
    size: Number(range ? range.slice(range.lastIndexOf("/") + 1) : headers.get("Content-Length")),
    etag: unquoted(headers.get("ETag") ?? ""),
    uploaded: new Date(headers.get("Last-Modified") ?? Number.NaN),
    httpMetadata: { contentType: headers.get("Content-Type") ?? "application/octet-stream" },
    customMetadata: Object.fromEntries(custom.map(([name, value]) => [name.slice(CUSTOM.length), value])),
  };
}

/** Returns the properties of a newly written object. */
export function objectOf(key: string, size: number, etag: string, options: BucketMetadata): BucketObject {
  const { httpMetadata = {}, customMetadata = {} } = options;
  return { key, size, etag: unquoted(etag), uploaded: new Date(), httpMetadata, customMetadata };
}
