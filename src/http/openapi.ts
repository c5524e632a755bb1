// Generates the OpenAPI 3.1 description of the running variant, only from the declarations of the endpoints.
import * as z from "zod";
import type { Config } from "../core/config.ts";
import { type Endpoint, uploadLimit } from "./endpoint.ts";
import {
  busy,
  crashed,
  fileTooLarge,
  invalidKey,
  invalidRequest,
  noSuchFile,
  notAcceptable,
  rangeNotSatisfiable,
  type ServiceError,
  timedOut,
} from "./errors.ts";
import { type Field, type ListField, listName } from "./fields.ts";
import type { Route } from "./route.ts";
import { errorsOf, type Source } from "./source.ts";
import { type TusCall, tusCalls } from "./tus/description.ts";

type Json = Record<string, unknown>;

/** Everything that a POST can reach. */
export interface Served {
  readonly endpoints: readonly Endpoint[];
  readonly routes: readonly Route[];
}

/** Returns the description as a JSON document (OpenAPI 3.1.1). */
export function openApi({ endpoints, routes }: Served, config: Config, baseUrl: string): Json {
  const served = endpoints.filter(({ variants }) => variants.includes(config.variant));
  return {
    openapi: "3.1.1",
    info: {
      title: "Document conversion and processing",
      version: "0.1.0",
      license: { name: "AGPL-3.0-or-later", identifier: "AGPL-3.0-or-later" },
    },
    servers: [{ url: baseUrl }],
    paths: {
      ...Object.fromEntries(served.map((endpoint) => [endpoint.path, { post: describePost(endpoint, config) }])),
      ...Object.fromEntries(routes.map((route) => [route.path, { post: describeRoute(route, config) }])),
      "/resource/{id}": describeResource(),
      ...Object.fromEntries(
        Object.entries(tusCalls(config)).map(([path, calls]) => [path, describeUploads(path, calls, config)]),
      ),
      "/up": {
        get: {
          summary: "Returns the health of the service.",
          responses: { 200: { description: "The service is running." } },
        },
      },
      "/ready": {
        get: {
          summary: "Reports whether the service can do all that it promises.",
          responses: {
            200: { description: "It can." },
            503: { description: "It cannot. `reasons` lists the causes." },
          },
        },
      },
    },
    components: {
      schemas: {
        Error: {
          type: "object",
          properties: { error: { type: "string" } },
          required: ["error"],
          additionalProperties: false,
        },
      },
      ...(config.variant === "keyed"
        ? { securitySchemes: { ApiKey: { type: "apiKey", in: "header", name: "Api-Key" } } }
        : {}),
    },
  };
}

function describePost(endpoint: Endpoint, config: Config): Json {
  const maxFileBytes = uploadLimit(endpoint, config);
  const errors = [
    ...errorsOf(endpoint.source),
    ...(endpoint.errors ?? []),
    ...(config.variant === "keyed" ? [invalidKey()] : []),
    fileTooLarge(maxFileBytes),
    notAcceptable(["application/json", ...Object.keys(describeFiles(endpoint))]),
    crashed(),
    busy(),
    timedOut(),
  ];
  return {
    summary: endpoint.summary,
    operationId: endpoint.path.slice(1),
    ...(config.variant === "keyed" ? { security: [{ ApiKey: [] }] } : {}),
    requestBody: { required: true, content: describeBodies(endpoint, config) },
    parameters: ANSWER_PARAMETERS,
    responses: {
      200: {
        description: "What was made: stored, or the answer itself, as the Accept field says.",
        headers: ANSWER_HEADERS,
        content: { ...json(describeAnswer(endpoint)), ...describeFiles(endpoint) },
      },
      ...describeErrors(errors),
    },
  };
}

/** Describes the body in each of its encodings. Only a multipart body can carry a file. */
function describeBodies(endpoint: Endpoint, config: Config): Json {
  const fields = Object.entries(endpoint.fields);
  const described = fields.map(([name, field]) => [keyOf(name, field), describeField(field)] as const);
  const needed = fields.filter(([, { required }]) => required).map(([name, field]) => keyOf(name, field));
  const {
    properties,
    required,
    names = [],
    alternatives,
  } = describeSource(endpoint.source, uploadLimit(endpoint, config), config.maxInputs);
  const body = (given: Json, isRequired: (name: string) => boolean, without: string): Json => {
    const sources = names.filter((name) => name !== without).map((name) => ({ required: [name] }));
    return {
      schema: {
        type: "object",
        properties: given,
        required: [...required, ...needed].filter(isRequired),
        ...(alternatives && sources.length > 0 ? { [alternatives]: sources } : {}),
      },
    };
  };
  const all = { ...properties, ...Object.fromEntries(described) };
  const { file: _, ...texts } = all;
  return {
    "multipart/form-data": body(all, () => true, ""),
    "application/json": body(texts, (name) => name !== "output", "file"),
    "application/x-www-form-urlencoded": body(texts, () => true, "file"),
  };
}

function describeRoute({ path, summary, body, answer, errors }: Route, config: Config): Json {
  const isKeyed = config.variant === "keyed";
  const content = Object.entries(body(config)).map(([type, schema]) => [type, { schema }]);
  return {
    summary,
    operationId: path.slice(1),
    ...(isKeyed ? { security: [{ ApiKey: [] }] } : {}),
    requestBody: { required: true, content: Object.fromEntries(content) },
    responses: {
      200: { description: "Done.", content: json(answer) },
      ...describeErrors([...errors, ...(isKeyed ? [invalidKey()] : []), busy()]),
    },
  };
}

const keyOf = (name: string, field: Field<unknown> | ListField<unknown>) => ("item" in field ? listName(name) : name);

/** The fields of a source. Of those with `names`, there is exactly one (`oneOf`) or at least one (`anyOf`). */
interface DescribedSource {
  readonly properties: Json;
  readonly required: readonly string[];
  readonly names?: readonly string[];
  readonly alternatives?: "oneOf" | "anyOf";
}

function describeSource(source: Source, maxFileBytes: number, maxInputs: number): DescribedSource {
  if (source.kind === "text") {
    return {
      properties: { [source.field]: { type: "string", description: source.description } },
      required: [source.field],
    };
  }
  const limit = `at most ${Math.floor(maxFileBytes / 2 ** 20)} MB`;
  const file = { type: "string", format: "binary", description: `${source.description}, ${limit}` };
  if (source.kind === "several") {
    const several = (items: Json): Json => ({ type: "array", items, maxItems: maxInputs });
    const order =
      source.orderedBy === undefined ? {} : { [listName(source.orderedBy)]: several({ enum: ["file", "id", "url"] }) };
    const inputs = {
      file: several(file),
      "id[]": several({ type: "string", description: "Id of a stored file." }),
      "url[]": several({ type: "string", format: "uri", description: "Address of a file, which is fetched." }),
    };
    return {
      properties: { ...inputs, ...order },
      required: Object.keys(order),
      names: Object.keys(inputs),
      alternatives: "anyOf",
    };
  }
  const properties = {
    file,
    id: { type: "string", description: "Id of a stored file, instead of a file." },
    url: {
      type: "string",
      format: "uri",
      description: `Address of a file${source.webPages ? " or a web page" : ""}, instead of a file.`,
    },
  };
  return { properties, required: [], names: Object.keys(properties), alternatives: "oneOf" };
}

function describeField(field: Field<unknown> | ListField<unknown>): Json {
  if ("item" in field) return { type: "array", items: describeSchema(field.item), description: field.description };
  const schema = describeSchema(field.schema);
  const fallback =
    field.fallback === undefined
      ? {}
      : { default: schema.type === "integer" ? Number(field.fallback) : field.fallback };
  return { ...schema, description: field.description, ...fallback };
}

function describeSchema(type: z.ZodType): Json {
  const { $schema: _, ...schema } = z.toJSONSchema(type, {
    // Numbers are described by their parsed value, texts by the input.
    io: "input",
    unrepresentable: "any",
    override: ({ zodSchema, jsonSchema }) => {
      if (zodSchema instanceof z.ZodPipe && zodSchema.out instanceof z.ZodNumber) {
        Object.assign(jsonSchema, z.toJSONSchema(zodSchema.out));
      }
    },
  });
  return schema;
}

/** Returns the forms of an answer besides JSON. */
function describeFiles({ produces, naming }: Endpoint): Json {
  const types = naming === "name" ? [produces] : [produces, "application/zip"];
  return Object.fromEntries(types.map((type) => [type, { schema: { type: "string", format: "binary" } }]));
}

const field = (name: string, description: string, example: string): Json => ({
  ...{ name, in: "header", description },
  ...{ schema: { type: "string" }, example },
});
const ANSWER_PARAMETERS: readonly Json[] = [
  field("Prefer", "Stores a file that is the answer, which has an Output-Id then.", "return=representation; store"),
];
const ANSWER_HEADERS: Json = Object.fromEntries(
  [
    field("Output-Id", "Id of the file that is the answer, if it is stored.", "2d0c1f2a5-7d3f-4c39-9d7e-6a0a7f1b0c55"),
    field("Notices", "The notices, as a list of strings (RFC 9651).", '"JavaScript was removed"'),
    field(
      "Server-Timing",
      "Milliseconds of each part of the work.",
      "receive;dur=3, wait;dur=0, engine;dur=40, store;dur=8",
    ),
  ].map(({ name, in: _, ...header }) => [name, header]),
);

function describeAnswer({ naming, source, tells = [] }: Endpoint): Json {
  const one = (format?: string): Json => ({ type: "string", ...(format ? { format } : {}) });
  const list = (items: Json, minItems: number): Json => ({ type: "array", items, minItems });
  const output = (item: Json): Json =>
    naming === "name" ? item : naming === "list" ? list(item, 1) : { oneOf: [item, list(item, 2)] };
  const properties: Json = {
    outputUrl: output(one("uri")),
    outputId: output(one()),
    ...(source.kind === "text" ? {} : { inputId: source.kind === "several" ? list(one(), 1) : one() }),
  };
  const notices = {
    ...list(one(), 1),
    description: "One sentence for each kind of content that was lost or replaced; absent if nothing was.",
    examples: [["2 digital signatures were removed"]],
  };
  const size = (of: string): Json => ({ type: "integer", description: `Size of the ${of} in bytes.` });
  const font = { type: "object", properties: { name: one(), replacedBy: one() }, required: ["name"] };
  const optional: Json = {
    ...(naming === "list" ? {} : { outputSize: size("output") }),
    ...(tells.includes("inputSize") ? { inputSize: size("input") } : {}),
    notices,
    ...(tells.includes("substitutedFonts") ? { substitutedFonts: list(font, 1) } : {}),
  };
  return { type: "object", properties: { ...properties, ...optional }, required: Object.keys(properties) };
}

function describeResource(): Json {
  const id = { name: "id", in: "path", required: true, schema: { type: "string" } };
  const format = { name: "format", in: "query", required: true, schema: { enum: ["file", "url", "info"] } };
  const binary = { "*/*": { schema: { type: "string", format: "binary" } } };
  return {
    parameters: [id],
    get: {
      summary: "Returns a stored file, its URL, or information about it.",
      parameters: [format],
      responses: {
        200: { description: "format=file: the file. format=url and format=info: a JSON object.", content: binary },
        206: { description: "The requested range of the file.", content: binary },
        304: { description: "The file matches If-None-Match." },
        ...describeErrors([invalidRequest(), noSuchFile(), rangeNotSatisfiable(0)]),
      },
    },
    delete: {
      summary: "Removes a stored file.",
      responses: { 204: { description: "The file was removed." }, ...describeErrors([noSuchFile()]) },
    },
  };
}

function describeUploads(path: string, calls: readonly TusCall[], { variant }: Config): Json {
  const text = { schema: { type: "string" } };
  const described = calls.map(({ method, summary, fields, bodyType, status, answers, errors }) => [
    method,
    {
      summary,
      ...(variant === "keyed" && method !== "options" ? { security: [{ ApiKey: [] }] } : {}),
      parameters: Object.entries(fields).map(([name, required]) => ({ name, in: "header", required, ...text })),
      ...(bodyType ? { requestBody: { content: { [bodyType]: { schema: { format: "binary" } } } } } : {}),
      responses: {
        [status]: { description: "Done.", headers: Object.fromEntries(answers.map((name) => [name, text])) },
        ...describeErrors(errors),
      },
    },
  ]);
  const id = { name: "id", in: "path", required: true, ...text };
  return { ...(path.includes("{id}") ? { parameters: [id] } : {}), ...Object.fromEntries(described) };
}

function describeErrors(errors: readonly ServiceError[]): Json {
  const byStatus = Map.groupBy(errors, ({ status }) => status);
  return Object.fromEntries(
    [...byStatus].map(([status, group]) => [
      status,
      {
        description: group.map(({ message }) => message).join(" "),
        content: {
          "application/json": { schema: { $ref: "#/components/schemas/Error" }, examples: examplesOf(group) },
        },
      },
    ]),
  );
}

function examplesOf(errors: readonly ServiceError[]): Json {
  return Object.fromEntries(errors.map(({ message }, index) => [`error${index + 1}`, { value: { error: message } }]));
}

const json = (schema: Json): Json => ({ "application/json": { schema } });
