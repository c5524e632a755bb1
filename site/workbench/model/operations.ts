// Reads the operations of the service and their fields from its OpenAPI description. Knows nothing about the page.

export type FieldKind = "choice" | "switch" | "range" | "pages" | "list" | "json" | "long" | "text";

export interface FormField {
  /** Name in a request, with brackets if it may be repeated. */
  readonly name: string;
  readonly kind: FieldKind;
  readonly description: string;
  readonly required: boolean;
  /** Text of the default. */
  readonly fallback?: string;
  readonly values?: readonly string[];
  readonly min?: number;
  readonly max?: number;
  readonly examples?: readonly string[];
  /** Regular expression of valid texts. */
  readonly pattern?: string;
  /** Schema of what a JSON file contains. */
  readonly content?: Schema;
}

export interface Operation {
  /** Path, with a leading slash. */
  readonly path: string;
  readonly summary: string;
  /** Number of inputs: exactly one, one or more, or a text in place of a file. */
  readonly source: "one" | "several" | "text";
  readonly fields: readonly FormField[];
  /** Name of the list with the kind of each input, which sets their order. */
  readonly orderedBy?: string;
  /** Name of the list with one value for each input. */
  readonly perInput?: FormField;
  /** True if the address of a web page is an input. */
  readonly webPages: boolean;
  /** True if other documents must become PDFs first. */
  readonly pdfOnly: boolean;
  /** Most inputs, of an operation that takes several. */
  readonly maxInputs?: number;
  /** True if an input need not be a document. */
  readonly anyFile: boolean;
  /** Media type of each output. */
  readonly produces: string;
  /** True if several outputs can come as one archive. */
  readonly archives: boolean;
}

/** The operations of a running service, and what else it can do. */
export interface ServiceDescription {
  readonly operations: ReadonlyMap<string, Operation>;
  /** True if each POST needs a key. */
  readonly keyed: boolean;
  /** True if jobs can be asked about while they run. */
  readonly jobs: boolean;
  /** True if pages of stored files have addresses. */
  readonly pagePictures: boolean;
  /** True if pages of stored files can be zoomed into. */
  readonly deepZoom: boolean;
}

export interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly default?: unknown;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly pattern?: string;
  readonly maxItems?: number;
  readonly format?: string;
  readonly contentMediaType?: string;
  readonly contentSchema?: Schema;
  readonly deprecated?: boolean;
  readonly examples?: readonly unknown[];
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly allOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly anyOf?: readonly Schema[];
}

interface Described {
  readonly summary?: string;
  readonly requestBody?: { readonly content?: Readonly<Record<string, { readonly schema?: Schema }>> };
  readonly responses?: Readonly<Record<string, { readonly content?: Readonly<Record<string, unknown>> }>>;
}

export interface OpenApiDocument {
  readonly paths: Readonly<Record<string, { readonly post?: Described }>>;
  readonly components?: {
    readonly schemas?: Readonly<Record<string, Schema>>;
    readonly securitySchemes?: Readonly<Record<string, unknown>>;
  };
}

const SOURCES = new Set(["file", "id", "url", "file[]", "id[]", "url[]"]);

export function readService(document: OpenApiDocument): ServiceDescription {
  const paths = Object.keys(document.paths);
  const operations = Object.entries(document.paths).flatMap(([path, { post }]) => {
    const operation = post && readOperation(path, post, document);
    return operation ? [[path, operation] as const] : [];
  });
  return {
    operations: new Map(operations),
    keyed: Object.keys(document.components?.securitySchemes ?? {}).length > 0,
    jobs: paths.some((path) => path.startsWith("/request-status/")),
    pagePictures: paths.some((path) => /^\/resource\/\{\w+\}\/pages\//.test(path)),
    deepZoom: paths.some((path) => path.startsWith("/iiif/")),
  };
}

/** Returns undefined for a POST that makes no output. */
function readOperation(path: string, post: Described, document: OpenApiDocument): Operation | undefined {
  const schema = post.requestBody?.content?.["multipart/form-data"]?.schema;
  if (!schema) return undefined;
  const { properties, required } = gather(schema, document);
  if (!properties.has("output")) return undefined;
  const source = properties.has("id[]") ? "several" : properties.has("id") ? "one" : "text";
  const orderedBy = source === "several" && properties.has("type[]") ? "type[]" : undefined;
  const fields = [...properties]
    .filter(([name]) => !SOURCES.has(name) && name !== orderedBy)
    .map(([name, property]) => readField(name, property, required.has(name), document));
  const perInput = source === "several" ? fields.find(({ kind }) => kind === "list") : undefined;
  const file = properties.get("file");
  const maxInputs = properties.get("id[]")?.maxItems;
  const types = Object.keys(post.responses?.["200"]?.content ?? {}).filter((type) => type !== "application/json");
  return {
    path,
    summary: post.summary ?? "",
    source,
    fields: fields.filter((field) => field !== perInput),
    ...(orderedBy ? { orderedBy } : {}),
    ...(perInput ? { perInput } : {}),
    webPages: /web page/.test(properties.get("url")?.description ?? ""),
    pdfOnly: (file?.items ?? file)?.contentMediaType === "application/pdf",
    ...(maxInputs === undefined ? {} : { maxInputs }),
    anyFile: /^any file/i.test(properties.get("file")?.description ?? ""),
    produces: types[0] ?? "application/octet-stream",
    archives: types.slice(1).includes("application/zip"),
  };
}

interface Gathered {
  readonly properties: Map<string, Schema>;
  /** Names that every alternative requires. */
  readonly required: Set<string>;
}

/** Joins the properties of a schema, of its parts and of its alternatives. */
function gather(schema: Schema, document: OpenApiDocument): Gathered {
  const { properties = {}, required = [], allOf = [], oneOf = [], anyOf = [] } = resolve(schema, document);
  const all = new Map(Object.entries(properties));
  const needed = new Set(required);
  const join = (part: Gathered) => {
    for (const [name, property] of part.properties) if (!all.has(name)) all.set(name, property);
  };
  for (const part of allOf.map((inner) => gather(inner, document))) {
    join(part);
    for (const name of part.required) needed.add(name);
  }
  for (const alternatives of [oneOf, anyOf]) {
    const parts = alternatives.map((inner) => gather(inner, document));
    for (const part of parts) join(part);
    for (const name of parts[0]?.required ?? []) if (parts.every((part) => part.required.has(name))) needed.add(name);
  }
  return { properties: all, required: needed };
}

function resolve(schema: Schema, document: OpenApiDocument): Schema {
  const name = schema.$ref?.split("/").at(-1);
  return name === undefined ? schema : { ...document.components?.schemas?.[name], ...withoutRef(schema) };
}

const withoutRef = ({ $ref: _, ...schema }: Schema): Schema => schema;

function readField(name: string, described: Schema, required: boolean, document: OpenApiDocument): FormField {
  const property = resolve(described, document);
  const item = property.items ? resolve(property.items, document) : property;
  const values = item.enum?.map(String);
  const examples = (item.examples ?? property.examples)?.map(String);
  return {
    name,
    kind: kindOf(name, property, values),
    description: property.description ?? "",
    required,
    ...(property.default === undefined ? {} : { fallback: String(property.default) }),
    ...(values ? { values } : {}),
    ...(item.minimum === undefined ? {} : { min: item.minimum }),
    ...(item.maximum === undefined ? {} : { max: item.maximum }),
    ...(examples ? { examples } : {}),
    ...(item.pattern === undefined ? {} : { pattern: item.pattern }),
    ...(property.contentSchema ? { content: resolve(property.contentSchema, document) } : {}),
  };
}

function kindOf(name: string, property: Schema, values: readonly string[] | undefined): FieldKind {
  if (property.type === "array" || name.endsWith("[]")) return "list";
  if (values) return values.toSorted().join() === "off,on" ? "switch" : "choice";
  if (property.minimum !== undefined && property.maximum !== undefined) return "range";
  if (name === "pages") return "pages";
  if (property.contentMediaType === "application/json") return "json";
  return name === "content" ? "long" : "text";
}
