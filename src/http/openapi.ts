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
  rangeNotSatisfiable,
  type ServiceError,
  timedOut,
} from "./errors.ts";
import { type Field, type ListField, listName } from "./fields.ts";
import { errorsOf, type Source } from "./source.ts";
import { type TusCall, tusCalls } from "./tus/description.ts";

type Json = Record<string, unknown>;

/** Returns the description as a JSON document (OpenAPI 3.1.1). */
export function openApi(endpoints: readonly Endpoint[], config: Config, baseUrl: string): Json {
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
  const fields = Object.entries(endpoint.fields);
  const maxFileBytes = uploadLimit(endpoint, config);
  const source = describeSource(endpoint.source, maxFileBytes, config.maxInputs);
  const errors = [
    ...errorsOf(endpoint.source),
    ...(endpoint.errors ?? []),
    ...(config.variant === "keyed" ? [invalidKey()] : []),
    fileTooLarge(maxFileBytes),
    crashed(),
    busy(),
    timedOut(),
  ];
  return {
    summary: endpoint.summary,
    operationId: endpoint.path.slice(1),
    ...(config.variant === "keyed" ? { security: [{ ApiKey: [] }] } : {}),
    requestBody: {
      required: true,
      content: {
        "multipart/form-data": {
          schema: {
            type: "object",
            properties: {
              ...source.properties,
              ...Object.fromEntries(fields.map(([name, field]) => [keyOf(name, field), describeField(field)])),
            },
            required: [
              ...source.required,
              ...fields.filter(([, { required }]) => required).map(([name, field]) => keyOf(name, field)),
            ],
            ...source.alternatives,
          },
        },
      },
    },
    responses: {
      200: { description: "The output was stored.", content: json(describeAnswer(endpoint)) },
      ...describeErrors(errors),
    },
  };
}

const keyOf = (name: string, field: Field<unknown> | ListField<unknown>) => ("item" in field ? listName(name) : name);

function describeSource(
  source: Source,
  maxFileBytes: number,
  maxInputs: number,
): { properties: Json; required: string[]; alternatives?: Json } {
  if (source.kind === "text") {
    return {
      properties: { [source.field]: { type: "string", description: source.description } },
      required: [source.field],
    };
  }
  const limit = `at most ${Math.floor(maxFileBytes / 2 ** 20)} MB`;
  const file = { type: "string", format: "binary", description: `${source.description}, ${limit}` };
  if (source.kind === "files-and-ids") {
    const several = (items: Json): Json => ({ type: "array", items, maxItems: maxInputs });
    const order =
      source.orderedBy === undefined ? {} : { [listName(source.orderedBy)]: several({ enum: ["file", "id"] }) };
    return {
      properties: {
        file: several(file),
        "id[]": several({ type: "string", description: "Id of a stored file." }),
        ...order,
      },
      required: Object.keys(order),
      alternatives: { anyOf: [{ required: ["file"] }, { required: ["id[]"] }] },
    };
  }
  const properties = {
    file,
    id: { type: "string", description: "Id of a stored file, instead of a file." },
    ...(source.kind === "file-id-or-url"
      ? { url: { type: "string", format: "uri", description: "Address of a web page, instead of a file." } }
      : {}),
  };
  return {
    properties,
    required: [],
    alternatives: { oneOf: Object.keys(properties).map((name) => ({ required: [name] })) },
  };
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

function describeAnswer({ naming, source }: Endpoint): Json {
  const one = (format?: string): Json => ({ type: "string", ...(format ? { format } : {}) });
  const list = (items: Json, minItems: number): Json => ({ type: "array", items, minItems });
  const output = (item: Json): Json =>
    naming === "name" ? item : naming === "list" ? list(item, 1) : { oneOf: [item, list(item, 2)] };
  const properties: Json = {
    outputUrl: output(one("uri")),
    outputId: output(one()),
    ...(source.kind === "text" ? {} : { inputId: source.kind === "files-and-ids" ? list(one(), 1) : one() }),
  };
  const notices = {
    ...list(one(), 1),
    description: "One sentence for each kind of content that was lost or replaced; absent if nothing was.",
    examples: [["2 digital signatures were removed"]],
  };
  return { type: "object", properties: { ...properties, notices }, required: Object.keys(properties) };
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
