// Describes the headers for clients that have keys or limits, and the path /usage.
import { LIMITS } from "../../../document/contract/limits.ts";
import { type Describe, type Feature, type Json, json, type ParametersByName } from "../contract/description.ts";
import { busy, lengthRequired, limitReached, outOfRange } from "../contract/errors.ts";
import { DELETE_TOKEN_HEADER } from "./auth.ts";
import { LIFETIME_HEADER } from "./lifetime.ts";

const LIMIT_HEADERS: ParametersByName = {
  RateLimit: {
    description: "What is left of the limits of the client, if it has any.",
    example: '"requests";r=59;t=61',
  },
  "RateLimit-Policy": { description: "The limits of the client, if it has any.", example: '"requests";q=60;w=60' },
};

/** Headers of every POST. */
export const CLIENTS: Feature = {
  headers: {
    [LIFETIME_HEADER]: {
      description: "Lifetime of the files that the request stores, in seconds.",
      schema: { type: "integer", minimum: LIMITS.fileLifetimeSeconds },
      example: 3600,
    },
  },
  responseHeaders: {
    [DELETE_TOKEN_HEADER]: {
      description: "Keyed variant: removes the files of the request without its key.",
      example: "5503137f-6081-4ba5-9593-c08bd9711559",
    },
    ...LIMIT_HEADERS,
  },
  errors: [
    outOfRange(LIFETIME_HEADER, "5"),
    lengthRequired(),
    limitReached("60 requests a minute", { "Retry-After": "17" }),
  ],
};

const integer = { type: "integer" };
const object = (properties: Json, required: readonly string[] = Object.keys(properties)): Json => ({
  ...{ type: "object", properties, required },
});
const COUNTS = { requests: integer, errors: integer, bytesIn: integer, bytesOut: integer, tokens: integer };
const ROW = object({ day: { type: "string", format: "date" }, operation: { type: "string" }, ...COUNTS });
const ofLimits = (schema: Json): Json =>
  object({ requestsPerMinute: schema, concurrentJobs: schema, megabytesPerDay: schema, storedMegabytes: schema }, []);
const USAGE = object(
  {
    expires: { type: "string", format: "date-time" },
    scopes: { type: "array", items: { type: "string" } },
    fileLifetimeHours: integer,
    limits: ofLimits(integer),
    left: ofLimits(object({ left: integer, seconds: integer }, ["left"])),
    total: object(COUNTS),
    usage: { type: "array", items: ROW },
  },
  ["limits", "left", "total", "usage"],
);
const SUMS = { requests: 12, errors: 1, bytesIn: 48_213, bytesOut: 96_426, tokens: 0 };

export const describeUsage: Describe = () => ({
  path: "/usage",
  section: "usage",
  variants: ["keyed"],
  operations: [
    {
      ...{ method: "get", id: "usage", tag: "Service", needsKey: true },
      summary: "Tells what a key has used, and what is left of its limits.",
      query: {
        days: {
          description: "Number of days until today.",
          schema: { type: "integer", minimum: 1, maximum: LIMITS.usageDays, default: 30 },
          example: 7,
        },
      },
      responses: {
        200: {
          description: "The usage by day and operation.",
          content: json(USAGE, {
            limits: { requestsPerMinute: 60 },
            left: { requestsPerMinute: { left: 59, seconds: 61 } },
            total: SUMS,
            usage: [{ day: "2026-11-23", operation: "png", ...SUMS }],
          }),
        },
      },
      errors: [outOfRange("days", "0"), busy()],
    },
  ],
});
