// Generates the OpenAPI 3.1 document of a deployment from the descriptions of its paths.
import type { Config } from "../../settings/config.ts";
import { RELEASE } from "../../settings/release.ts";
import { rejectionsOf } from "../clients/web-callers.ts";
import {
  type Describe,
  type Feature,
  type Json,
  type MediaTypeObject,
  type OperationDescription,
  type ParameterDescription,
  type ParametersByName,
  type PathDescription,
  type ResponseDescription,
  ref,
  TAGS,
  withFeatures,
} from "../contract/description.ts";
import { type Endpoint, isServed } from "../contract/endpoint.ts";
import {
  bodyTooSlow,
  boundElsewhere,
  busy,
  invalidKey,
  keyRequired,
  methodNotAllowed,
  noRegion,
  outOfScope,
  regionLost,
  type ServiceError,
  unexpected,
  uploadElsewhere,
} from "../contract/errors.ts";
import type { Route } from "../contract/route.ts";
import { describeEndpoint } from "./endpoints.ts";
import { ERROR_HEADERS, EVERY_HEADER, HEADERS, POST_HEADERS } from "./headers.ts";

/** Everything that the service describes: endpoints, routes and other paths. */
export interface Served {
  readonly endpoints: readonly Endpoint[];
  readonly routes: readonly Route[];
  readonly paths: readonly Describe[];
  /** Features of every endpoint and route. */
  readonly ofPosts: readonly Feature[];
}

/** Describes all paths of a deployment, in display order, including common features and errors. */
export function describePaths(served: Served, config: Config, baseUrl: string): PathDescription[] {
  const { endpoints, routes, paths, ofPosts } = served;
  const posts = [
    ...endpoints
      .filter((endpoint) => isServed(endpoint, config))
      .map((endpoint) => describeEndpoint(endpoint, config, baseUrl)),
    ...routes.map(({ path, describe }) => ({ path, ...describe(config, baseUrl) })),
  ];
  return [
    ...posts.map((path) => complete(path, config, [{ errors: [bodyTooSlow(), busy()] }, ...ofPosts])),
    ...paths
      .map((describe) => describe(config, baseUrl))
      .filter(({ variants }) => variants?.includes(config.variant) ?? true)
      .map((path) => complete(path, config, [])),
  ];
}

function complete(description: PathDescription, config: Config, features: readonly Feature[]): PathDescription {
  const { path, operations } = description;
  const methods = operations
    .flatMap(({ method }) => (method === "get" ? ["GET", "HEAD"] : [method.toUpperCase()]))
    .filter((method, at, all) => all.indexOf(method) === at)
    .join(", ");
  const always = { errors: [methodNotAllowed(methods), unexpected()] };
  return {
    ...description,
    operations: operations.map((operation) => {
      const isGuarded = operation.needsKey === true && config.variant === "keyed";
      return {
        ...withFeatures(operation, [
          ...(isGuarded ? [{ errors: [keyRequired(), invalidKey(), outOfScope()] }] : []),
          ...features,
          ...(config.hasRegions && concernsFiles(operation, path) ? [{ errors: REGION_ERRORS }] : []),
          { errors: rejectionsOf(operation.method, path, config) },
          always,
        ]),
        needsKey: isGuarded,
      };
    }),
  };
}

const REGION_ERRORS = [boundElsewhere("eu"), uploadElsewhere(), regionLost("weur"), noRegion()];

const concernsFiles = ({ method }: OperationDescription, path: string) => method !== "get" || path.includes("{");

const PARAMETERS = new Map<string, readonly string[]>();

/** Returns the parameter names of a POST; empty if the path does not exist. */
export function parametersOf({ endpoints, routes }: Served, path: string, config: Config): readonly string[] {
  const known = PARAMETERS.get(path);
  if (known) return known;
  const endpoint = endpoints.find((one) => one.path === path);
  const route = routes.find((one) => one.path === path);
  const description = endpoint ? describeEndpoint(endpoint, config, "") : route?.describe(config, "");
  if (!description) return [];
  const names = description.operations.flatMap(({ body }) => namesIn(body?.["multipart/form-data"]));
  PARAMETERS.set(path, names);
  return names;
}

const namesIn = (content: MediaTypeObject | undefined): string[] =>
  Object.keys((content?.schema.properties ?? {}) as Json);

/** Returns the OpenAPI 3.1.1 document as a JSON value. */
export function openApi(served: Served, config: Config, baseUrl: string): Json {
  const paths = describePaths(served, config, baseUrl);
  return {
    openapi: "3.1.1",
    info: {
      title: RELEASE.product,
      version: RELEASE.version,
      summary: "Document conversion and processing over HTTP.",
      description:
        "A `POST` makes files of files, stores them, and answers with their ids, or with the file itself if the " +
        `header Accept prefers its media type. The reference is at ${baseUrl}/docs.`,
      license: { name: "AGPL-3.0-or-later", identifier: "AGPL-3.0-or-later" },
    },
    servers: [{ url: baseUrl }],
    externalDocs: { url: `${baseUrl}/docs`, description: "Reference with examples" },
    tags: Object.entries(TAGS).map(([name, description]) => ({ name, description })),
    paths: Object.fromEntries(paths.map((path) => [path.path, pathItem(path, baseUrl)])),
    webhooks: webhooks(served.ofPosts, baseUrl),
    components: {
      schemas: { Error: ERROR, ...Object.assign({}, ...paths.map(({ schemas }) => schemas)) },
      headers: Object.fromEntries(Object.entries(HEADERS).map(([name, value]) => [name, header(value)])),
      ...(config.variant === "keyed"
        ? { securitySchemes: { ApiKey: { type: "apiKey", in: "header", name: "Api-Key" } } }
        : {}),
    },
  };
}

function webhooks(features: readonly Feature[], baseUrl: string): Json {
  const messages = features.flatMap((feature) => Object.entries(feature.messages ?? {}));
  return Object.fromEntries(
    messages.map(([name, { summary, headers, schema, example }]) => {
      const content = { "application/json": { schema, example } };
      const post = {
        ...{ tags: ["Service"], operationId: name, summary, security: [] },
        description: explainedAt(baseUrl, "webhooks"),
        parameters: parameters("header", headers),
        requestBody: { required: true, content },
        responses: { "2XX": { description: "The message is taken." }, 410: { description: "It is not wanted." } },
      };
      return [name, { post }];
    }),
  );
}

const ERROR: Json = {
  type: "object",
  properties: { error: { type: "string", description: "One sentence." } },
  required: ["error"],
  additionalProperties: false,
};

const explainedAt = (baseUrl: string, section: string): string =>
  `The reference explains it: ${baseUrl}/docs#${section}`;

function pathItem({ section, placeholders = {}, operations }: PathDescription, baseUrl: string): Json {
  const inPath = Object.fromEntries(
    Object.entries(placeholders).map(([name, value]) => [name, { ...value, required: true }]),
  );
  return {
    ...(Object.keys(inPath).length > 0 ? { parameters: parameters("path", inPath) } : {}),
    ...Object.fromEntries(
      operations.map((operation) => [operation.method, describeOperation(operation, explainedAt(baseUrl, section))]),
    ),
  };
}

function describeOperation(operation: OperationDescription, description: string): Json {
  const {
    method,
    id,
    tag,
    summary,
    deprecated,
    needsKey,
    query = {},
    headers = {},
    body,
    responses,
    errors,
  } = operation;
  const declared = [...parameters("query", query), ...parameters("header", headers)];
  const common = { ...EVERY_HEADER, ...(method === "post" ? POST_HEADERS : {}) };
  return {
    ...{ tags: [tag], operationId: id, summary, description, ...(deprecated ? { deprecated } : {}) },
    security: needsKey ? [{ ApiKey: [] }] : [],
    ...(declared.length > 0 ? { parameters: declared } : {}),
    ...(body ? { requestBody: { required: true, content: body } } : {}),
    responses: {
      ...Object.fromEntries(Object.entries(responses).map(([status, answer]) => [status, response(answer, common)])),
      ...describeErrors(errors, common, method === "head"),
    },
  };
}

const parameters = (location: "path" | "query" | "header", values: ParametersByName): Json[] =>
  Object.entries(values).map(([name, { schema = TEXT, ...value }]) => ({ name, in: location, ...value, schema }));

const TEXT: Json = { type: "string" };

const header = ({ schema = TEXT, ...value }: ParameterDescription): Json => ({ ...value, schema });

function response({ description, headers = {}, content }: ResponseDescription, common: Json): Json {
  const own = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, header(value)]));
  return { description, headers: { ...common, ...own }, ...(content ? { content } : {}) };
}

/** Describes errors by status, with each message as an example. */
function describeErrors(errors: readonly ServiceError[], common: Json, isBodiless: boolean): Json {
  const byStatus = Map.groupBy(errors, ({ status }) => status);
  return Object.fromEntries(
    [...byStatus].map(([status, all]) => {
      const group = [...new Map(all.map((error) => [error.message, error])).values()];
      const names = new Set(group.flatMap(({ headers }) => Object.keys(headers)));
      const own = Object.fromEntries([...names].map((name) => [name, { $ref: `#/components/headers/${name}` }]));
      const examples = group.map(({ message }, at) => [`error${at + 1}`, { value: { error: message } }]);
      const content = { "application/json": { schema: ref("Error"), examples: Object.fromEntries(examples) } };
      return [
        status,
        {
          description: group.map(({ message }) => message).join(" "),
          headers: { ...common, ...ERROR_HEADERS, ...own },
          ...(isBodiless ? {} : { content }),
        },
      ];
    }),
  );
}
