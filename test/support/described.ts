// Compares responses of the service with its own description (/openapi.json): status, headers, media type and JSON.
import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import formats from "ajv-formats";

type Json = Readonly<Record<string, unknown>>;
interface Described {
  readonly paths: Readonly<Record<string, Readonly<Record<string, DescribedOperation | undefined>>>>;
  readonly components: {
    readonly schemas: Json;
    readonly headers: Readonly<Record<string, Header>>;
    readonly securitySchemes?: Json;
  };
}
interface DescribedOperation {
  readonly responses: Readonly<Record<string, DescribedAnswer>>;
}
interface DescribedAnswer {
  readonly headers?: Readonly<Record<string, Header>>;
  readonly content?: Readonly<Record<string, { readonly schema: Json }>>;
}
interface Header {
  readonly $ref?: string;
  readonly required?: boolean;
}

/** Schema of errors that no operation describes: for an unknown path, or a method that the path does not support. */
const ERROR: Json = { $ref: "#/components/schemas/Error" };

/** The parsed description of one service. */
export class Description {
  readonly #document: Described;
  readonly #ajv = new Ajv2020({ strict: false, allErrors: true });
  readonly #validators = new Map<Json, ValidateFunction>();

  constructor(document: unknown) {
    this.#document = document as Described;
    (formats as unknown as (ajv: Ajv2020) => void)(this.#ajv);
  }

  /**
   * Returns all mismatches between a response and the description, and errors of the description itself.
   * @param path without a query
   * @param body the parsed JSON; undefined if the body is not JSON or was not read
   */
  problemsOf(method: string, path: string, response: Response, body: unknown): readonly string[] {
    const { status, headers } = response;
    const item = this.#itemOf(path);
    const isBodiless = method === "HEAD" || [204, 304].includes(status);
    const operation = item?.[method.toLowerCase()] ?? (method === "HEAD" ? item?.get : undefined);
    if (!operation) {
      // The key is checked before the path, so 401 is possible.
      const expected = [item ? 405 : 404, ...(this.#document.components.securitySchemes ? [401] : [])];
      if (!expected.includes(status)) return [`status ${status} of a request that is not described`];
      return isBodiless ? [] : this.#mismatches(ERROR, body);
    }
    const answer = operation.responses[status];
    if (!answer) return [`status ${status} is not described`];
    const missing = Object.entries(answer.headers ?? {})
      .filter(([name, header]) => this.#resolved(header).required && !headers.has(name))
      .map(([name]) => `the header ${name} is missing`);
    if (isBodiless) return missing;
    const type = (headers.get("Content-Type") ?? "").replace(/;.*/, "");
    const content = answer.content?.[type] ?? answer.content?.["*/*"];
    if (!answer.content && type === "") return missing;
    if (!content) return [...missing, `media type "${type}" of status ${status} is not described`];
    return type === "application/json" && body !== undefined && answer.content?.[type]
      ? [...missing, ...this.#mismatches(content.schema, body)]
      : missing;
  }

  #itemOf(path: string) {
    const { paths } = this.#document;
    if (paths[path]) return paths[path];
    const matching = Object.keys(paths).find((template) => {
      // The template can contain an encoded colon.
      const pattern = template
        .replace("%3A", ":")
        .replace(/[.*+?^$()|[\]\\]/g, "\\$&")
        .replace(/\{\w+\}/g, "[^/]+");
      return new RegExp(`^${pattern}$`).test(path.replace(/%3a/i, ":"));
    });
    return matching === undefined ? undefined : paths[matching];
  }

  #resolved(header: Header): Header {
    return header.$ref === undefined ? header : this.#document.components.headers[header.$ref.split("/").at(-1)!]!;
  }

  #mismatches(schema: Json, body: unknown): readonly string[] {
    let validate = this.#validators.get(schema);
    if (!validate) {
      // The schema's references lead to other parts of the document.
      const { components } = this.#document;
      validate = this.#ajv.compile({ ...closed(schema), components });
      this.#validators.set(schema, validate);
    }
    if (validate(body)) return [];
    return validate.errors!.map(
      ({ instancePath, message, params }) => `${instancePath} ${message} ${JSON.stringify(params)}`,
    );
  }
}

/** Returns a schema that rejects undescribed properties, including those of nested objects. */
function closed(schema: Json): Json {
  const { properties, items, anyOf } = schema as {
    properties?: Record<string, Json>;
    items?: Json;
    anyOf?: readonly Json[];
  };
  return {
    ...schema,
    ...(properties
      ? { properties: Object.fromEntries(Object.entries(properties).map(([name, value]) => [name, closed(value)])) }
      : {}),
    ...(items ? { items: closed(items) } : {}),
    ...(anyOf ? { anyOf: anyOf.map(closed) } : {}),
    ...(Object.keys(schema).some((key) => ["properties", "$ref", "allOf", "anyOf", "oneOf"].includes(key))
      ? { unevaluatedProperties: false }
      : {}),
  };
}
