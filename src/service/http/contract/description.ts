// Defines the description of a path. OpenAPI and the reference are generated only from such descriptions.
import type { Config, Variant } from "../../settings/config.ts";
import type { ServiceError } from "./errors.ts";

export type Json = Readonly<Record<string, unknown>>;

export type Method = "get" | "head" | "post" | "put" | "patch" | "delete" | "options";

/** Groups of operations, in display order. */
export const TAGS = {
  Operations: "Make files of files.",
  Files: "Store, read and remove files.",
  Pictures: "Show pages of stored PDFs.",
  "Resumable uploads": "Store a file that arrives in several requests, by tus 1.0.",
  Service: "Describe the service and its health.",
} as const;

/** A value outside the body: a path placeholder, a query parameter, or a header. */
export interface ParameterDescription {
  readonly description: string;
  /** JSON schema. @default a string */
  readonly schema?: Json;
  /** @default false, except for placeholders */
  readonly required?: boolean;
  readonly example?: unknown;
}
export type ParametersByName = Readonly<Record<string, ParameterDescription>>;

/** A body in one encoding. */
export interface MediaTypeObject {
  readonly schema: Json;
  readonly example?: unknown;
}
/** Encodings of a body by media type; `*` matches any type. */
export type ContentByType = Readonly<Record<string, MediaTypeObject>>;

/** A successful response. */
export interface ResponseDescription {
  readonly description: string;
  readonly headers?: ParametersByName;
  /** @default no body */
  readonly content?: ContentByType;
}

/** One method of a path. */
export interface OperationDescription {
  readonly method: Method;
  /** Unique name. OpenAPI generators derive function names from it. */
  readonly id: string;
  readonly tag: keyof typeof TAGS;
  /** One sentence. */
  readonly summary: string;
  /** @default false */
  readonly deprecated?: true;
  /** True if the keyed variant requires a key. @default false */
  readonly needsKey?: boolean;
  readonly query?: ParametersByName;
  readonly headers?: ParametersByName;
  /** @default no body */
  readonly body?: ContentByType;
  /** By status. */
  readonly responses: Readonly<Record<number, ResponseDescription>>;
  /** Examples of errors, in addition to the errors that every path can return. */
  readonly errors: readonly ServiceError[];
}

/** A path with its methods. */
export interface PathDescription {
  /** With a leading slash, and placeholders in braces: `/resource/{id}`. */
  readonly path: string;
  /** Anchor of the section in docs/api.md that explains the path. */
  readonly section: string;
  /** @default all */
  readonly variants?: readonly Variant[];
  readonly placeholders?: ParametersByName;
  /** Schemas by name. {@link ref} refers to them. */
  readonly schemas?: Readonly<Record<string, Json>>;
  readonly operations: readonly OperationDescription[];
}

/** Returns the description of a path in a deployment. The base URL has no trailing slash. */
export type Describe = (config: Config, baseUrl: string) => PathDescription;

/** A property of every request with certain methods, such as a header that all endpoints accept. */
export interface Feature {
  readonly headers?: ParametersByName;
  /** Headers of every successful response. */
  readonly responseHeaders?: ParametersByName;
  /**
   * Responses by status, in addition to the responses of the operation. If both contain a status, the client receives
   * one of the two formats.
   */
  readonly responses?: Readonly<Record<number, ResponseDescription>>;
  readonly errors?: readonly ServiceError[];
  /** Requests that the service sends to the client (webhooks), by name. @default none */
  readonly messages?: Readonly<Record<string, MessageDescription>>;
}

/** A POST sent by the service. */
export interface MessageDescription {
  /** One sentence. */
  readonly summary: string;
  readonly headers: ParametersByName;
  readonly schema: Json;
  readonly example: unknown;
}

/** Adds features to an operation. If several of them describe the same header, joins the descriptions. */
export function withFeatures(operation: OperationDescription, features: readonly Feature[]): OperationDescription {
  const headers: Record<string, ParameterDescription> = { ...operation.headers };
  for (const [name, value] of features.flatMap((feature) => Object.entries(feature.headers ?? {}))) {
    const known = headers[name];
    headers[name] = known ? { ...known, description: `${known.description} ${value.description}` } : value;
  }
  const responses = features.reduce<Readonly<Record<string, ResponseDescription>>>(
    (all, feature) => ({
      ...feature.responses,
      ...Object.fromEntries(
        Object.entries(all).map(([status, response]) => [
          status,
          eitherOf(response, feature.responses?.[Number(status)]),
        ]),
      ),
    }),
    operation.responses,
  );
  const responseHeaders: ParametersByName = Object.assign({}, ...features.map((feature) => feature.responseHeaders));
  return {
    ...operation,
    headers,
    responses: Object.fromEntries(
      Object.entries(responses).map(([status, response]) => [
        status,
        { ...response, headers: { ...responseHeaders, ...response.headers } },
      ]),
    ),
    errors: [...operation.errors, ...features.flatMap(({ errors = [] }) => errors)],
  };
}

/** Returns a response whose JSON has either the format of `response` or the format of `other`. */
function eitherOf(response: ResponseDescription, other: ResponseDescription | undefined): ResponseDescription {
  const [one, second] = [response, other].map((given) => given?.content?.["application/json"]);
  if (!other || !one || !second) return response;
  const either = { ...one, schema: { anyOf: [one.schema, second.schema] } };
  return {
    ...response,
    description: `${response.description} ${other.description}`,
    content: { ...response.content, "application/json": either },
  };
}

/** Returns a reference to a schema of the OpenAPI document. */
export const ref = (name: string): Json => ({ $ref: `#/components/schemas/${name}` });

/** Returns a body in JSON. */
export const json = (schema: Json, example?: unknown): ContentByType => ({
  "application/json": { schema, ...(example === undefined ? {} : { example }) },
});

/** Schema of a file that is a whole body or a part of a form. */
export const BINARY: Json = { type: "string", format: "binary", contentMediaType: "application/octet-stream" };

/** Schema of the id of a stored file. */
export const FILE_ID: Json = {
  type: "string",
  pattern: "^[12][0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$",
};

/** File IDs for examples: the ID of an input, and of an output. */
export const EXAMPLE_INPUT = "1d0c1f2a5-7d3f-4c39-9d7e-6a0a7f1b0c55";
export const EXAMPLE_OUTPUT = "28b1f0c3e-52a6-4f0b-8d1c-3f9f2f6a7e10";

/** Returns a placeholder for the bytes of a file, for the example of a form. */
export const exampleBytes = (fileName: string): string => `(the bytes of ${fileName})`;

/** Returns the file name in a placeholder from {@link exampleBytes}; undefined for other example values. */
export const exampleFileName = (value: string): string | undefined => /^\(the bytes of (.+)\)$/.exec(value)?.[1];
