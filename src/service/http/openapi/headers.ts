// Describes headers that many responses share.
import type { Json, ParametersByName } from "../contract/description.ts";

/** Headers that responses reference by name. */
export const HEADERS: ParametersByName = {
  "X-Request-Id": {
    description: "Id of the request, which also appears in the log.",
    schema: { type: "string", format: "uuid" },
    required: true,
  },
  "Server-Timing": {
    description: "Milliseconds of each part of the work.",
    required: true,
    example: "receive;dur=3, wait;dur=0, engine;dur=40, store;dur=8",
  },
  Vary: {
    description: "The request header that determines the response format.",
    required: true,
    example: "Accept",
  },
  Link: {
    description: "Where the reference explains the error (`rel=help`).",
    required: true,
    example: '<https://pagewright.test/docs#png-resolution>; rel="help"',
  },
  Error: {
    description: "The sentence of the error, as a string (RFC 9651).",
    required: true,
    example: '"9 is not within the acceptable range for resolution."',
  },
  Allow: { description: "The methods that the path accepts.", example: "POST" },
  "Retry-After": { description: "Seconds until another attempt may succeed.", schema: { type: "integer" }, example: 5 },
  "Content-Range": { description: "Size of the file.", example: "bytes */48213" },
  Connection: { description: "The connection closes after the response.", example: "close" },
  "Tus-Version": { description: "The version of tus that the service has.", example: "1.0.0" },
};

const refer = (...names: readonly string[]): Json =>
  Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));

export const EVERY_HEADER = refer("X-Request-Id");
export const POST_HEADERS = refer("Server-Timing", "Vary");
export const ERROR_HEADERS = refer("Link", "Error");
