// Describes the paths for health, readiness and usage of the service itself.
import type { Config } from "../../settings/config.ts";
import { RELEASE } from "../../settings/release.ts";
import { type Describe, type Json, json, ref } from "../contract/description.ts";
import type { Readiness } from "./readiness.ts";

const text = { type: "string" };
const count = { type: "integer", minimum: 0 };
const part = { type: "string", enum: ["OK", "failed", "off"] };
const object = (properties: Json): Json => ({ type: "object", properties, required: Object.keys(properties) });

/** Liveness paths. Existing clients request the path of a single component, such as `/up-office`. */
export const HEALTH_PATHS = ["/up", "/up-toolkit", "/up-forms", "/up-office"] as const;

/** Returns the common body of the liveness paths. */
export const healthOf = ({ variant }: Pick<Config, "variant">) => ({ status: "OK", variant, ...RELEASE });

const HEALTH = object({
  ...{ status: { type: "string", const: "OK" }, product: text, version: text },
  releaseDate: { type: "string", format: "date" },
  variant: { type: "string", enum: ["private", "keyed"] },
});
const ENGINE = {
  type: "object",
  properties: {
    state: { type: "string", enum: ["warm", "fallback", "off", "asleep", "starting", "failed"] },
    proof: object({ by: { type: "string", enum: ["job", "probe"] }, secondsAgo: { type: "number", minimum: 0 } }),
    trouble: { type: "string", enum: ["failed", "late"] },
    lacks: { type: "array", items: text },
  },
  required: ["state"],
};
const READINESS = object({
  status: { type: "string", enum: ["OK", "unavailable"] },
  storage: part,
  container: object({ engines: part, web: part }),
  engines: { type: "object", additionalProperties: ENGINE, description: "By the names of the engines." },
  queue: object({ waiting: count, room: count }),
  reasons: { type: "array", items: text, description: "A sentence for each failure." },
  notes: { type: "array", items: text, description: "A sentence for each engine that could do better, or is off." },
});

export const healthDescriptions: readonly Describe[] = HEALTH_PATHS.map((path) => (config) => ({
  path,
  section: "health",
  schemas: { Health: HEALTH },
  operations: [
    {
      ...{
        method: "get",
        id: path.slice(1),
        tag: "Service",
        summary: "Returns the health of the service.",
        errors: [],
      },
      responses: {
        200: { description: "The service is running.", content: json(ref("Health"), healthOf(config)) },
      },
    },
  ],
}));

export const describeReadiness: Describe = () => {
  const ready: Readiness = {
    status: "OK",
    storage: "OK",
    container: { engines: "OK", web: "OK" },
    engines: { ghostscript: { state: "warm", proof: { by: "probe", secondsAgo: 4 } } },
    queue: { waiting: 0, room: 64 },
    reasons: [],
    notes: [],
  };
  const reasons = ["The storage does not answer."];
  const failed: Readiness = { ...ready, status: "unavailable", storage: "failed", reasons };
  return {
    path: "/ready",
    section: "health",
    schemas: { Readiness: READINESS },
    operations: [
      {
        ...{ method: "get", id: "ready", tag: "Service", errors: [] },
        summary: "Reports whether the service can do all that it promises.",
        responses: {
          200: { description: "It can.", content: json(ref("Readiness"), ready) },
          503: { description: "It cannot. `reasons` lists the causes.", content: json(ref("Readiness"), failed) },
        },
      },
    ],
  };
};

export const describeDescription: Describe = () => ({
  path: "/openapi.json",
  section: "api-description",
  operations: [
    {
      ...{ method: "get", id: "openapi", tag: "Service", summary: "Returns this description.", errors: [] },
      responses: { 200: { description: "The description of the running variant.", content: json({ type: "object" }) } },
    },
  ],
});

export const describeOperationList: Describe = ({ variant }) => ({
  path: "/operations.json",
  section: "api-description",
  operations: [
    {
      ...{ method: "get", id: "operations", tag: "Service", errors: [] },
      summary: "Returns the operations and their parameters, for forms.",
      responses: {
        200: {
          description: "The operations of both variants, in the order in which they are shown.",
          content: json(OPERATION_LIST, { variant, keyed: variant === "keyed", maxInputs: 1000, operations: [] }),
        },
        304: { description: "It has not changed." },
      },
    },
  ],
});

const OPERATION_LIST = object({
  variant: { type: "string", enum: ["private", "keyed"] },
  keyed: { type: "boolean", description: "True if each `POST` needs a key." },
  maxInputs: { ...count, description: "Most inputs of an operation that takes several." },
  operations: {
    type: "array",
    items: object({
      ...{ verb: text, path: text, title: text, group: text, summary: text },
      variants: { type: "array", items: { type: "string", enum: ["private", "keyed"] } },
      input: { type: "object", description: "What it takes: `kind`, `accepts`, `webPages`, and names of parameters." },
      files: {
        type: "array",
        items: { type: "object" },
        description: "Further files, with names of their parameters.",
      },
      parameters: {
        type: "array",
        items: { type: "object", description: "`name`, `description`, `required`, `control`, `schema` and `default`." },
      },
      output: { type: "object", description: "What it makes: `type`, `naming` and `archives`." },
      example: { type: "object", description: "Values for a first try." },
      maxFileBytes: { ...count, description: "Largest file that it takes." },
      fileErrors: {
        ...{ type: "array", items: text },
        description: "Errors that are about the files, by their anchors in the reference.",
      },
    }),
  },
});
