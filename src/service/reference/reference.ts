// Joins the two sources of the reference: the text of docs/api.md, and the descriptions of endpoints and routes.
import type { Token, Tokens } from "marked";
import type { OperationDescription, PathDescription } from "../http/contract/description.ts";
import { describePaths, type Served } from "../http/openapi/document.ts";
import type { Config } from "../settings/config.ts";
import { type Section, sectionsOf } from "./markdown.ts";

/** A deployment of the service: its settings, and the paths that it serves. */
export interface Deployment {
  readonly served: Served;
  readonly config: Config;
  /** URL of the service, without a trailing slash. */
  readonly baseUrl: string;
}

/** A section of docs/api.md, with the descriptions of the paths that it explains. */
export interface Chapter extends Section {
  readonly paths: readonly PathDescription[];
  /** True if the section explains an endpoint that exists only in the other variant. */
  readonly isElsewhere: boolean;
}

/** Names of the guides: further pages that the reference links to. */
export const GUIDES = ["client", "compression", "pdfa", "flattening", "limits"] as const;
export type Guide = (typeof GUIDES)[number];

/** Returns the last segment of a path. */
export const fileName = (path: string): string => path.slice(path.lastIndexOf("/") + 1);

/** Returns the guide to which a relative path in the repository refers. */
export const guideAt = (path: string): Guide | undefined =>
  path === "../client/README.md" ? "client" : GUIDES.find((guide) => fileName(path) === `${guide}.md`);

/** Base URL of the examples in docs/api.md. */
const EXAMPLE_BASE = "http://localhost:8787";

/**
 * Adapts docs/api.md to a deployment. Examples contain the base URL of the deployment. In the keyed variant, examples
 * in a code fence ` ```sh key ` also contain the key.
 */
export function ofDeployment(text: string, { config, baseUrl }: Deployment): string {
  const keyed = (code: string) => code.replaceAll(/\bcurl /g, 'curl -H "Api-Key: $API_KEY" ');
  return text
    .replaceAll(/^```sh key\n([\s\S]*?)^```$/gm, (_, code: string) => {
      return `\`\`\`sh\n${config.variant === "keyed" ? keyed(code) : code}\`\`\``;
    })
    .replaceAll(EXAMPLE_BASE, baseUrl);
}

/**
 * Returns the chapters of the reference. Omits the tables of parameters in docs/api.md, because the descriptions
 * contain the parameters.
 */
export function chaptersOf(text: string, { served, config, baseUrl }: Deployment): Chapter[] {
  const described = describePaths(served, config, baseUrl);
  const known = new Set([...served.endpoints, ...served.routes].map(({ path }) => path));
  return sectionsOf(text)
    .filter(({ level }) => level > 1)
    .map((section) => {
      const paths = described.filter((path) => path.section === section.anchor);
      return {
        ...section,
        paths,
        isElsewhere: known.has(section.title) && paths.length === 0,
        tokens: paths.length > 0 ? section.tokens.filter((token) => !isOfParameters(token)) : section.tokens,
      };
    });
}

const isOfParameters = (token: Token): boolean =>
  token.type === "table" && (token as Tokens.Table).header[0]?.text === "Parameter";

/** A parameter of a request: in path, query, form or header. */
export interface Parameter {
  readonly name: string;
  readonly location: "field" | "path" | "query" | "header";
  /** Short phrase such as "required"; empty if the parameter is optional. */
  readonly required: string;
  readonly fallback?: string;
  /** Allowed values as alternatives, such as `12 to 2400`; empty if the description lists them. */
  readonly values: readonly string[];
  readonly description: string;
}

interface Schema {
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly default?: unknown;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly allOf?: readonly { readonly oneOf?: readonly Schema[]; readonly anyOf?: readonly Schema[] }[];
  readonly examples?: readonly unknown[];
}

/** Returns the parameters of a request: path placeholders, query, form fields, headers. */
export function parametersOf({ placeholders = {} }: PathDescription, operation: OperationDescription): Parameter[] {
  const { query = {}, headers = {}, body } = operation;
  const values = (location: "path" | "query" | "header", declared: typeof query): Parameter[] =>
    Object.entries(declared).map(
      ([name, { description, schema = { type: "string" }, required = location === "path" }]) => ({
        ...{ name, location, description, required: required ? REQUIRED : "" },
        values: valuesOf(schema as Schema),
      }),
    );
  const form = (body?.["multipart/form-data"]?.schema ?? {}) as Schema;
  const choices = choicesIn(form);
  const fields = Object.entries(form.properties ?? {}).map(([name, schema]): Parameter => {
    const isRequired = form.required?.includes(name) ? REQUIRED : "";
    return {
      ...{ name, location: "field", description: schema.description ?? "", values: valuesOf(schema) },
      required: choices.get(name) ?? isRequired,
      ...(schema.default === undefined ? {} : { fallback: String(schema.default) }),
    };
  });
  return [...values("path", placeholders), ...values("query", query), ...fields, ...values("header", headers)];
}

const REQUIRED = "required";

/** Returns the requirement of each form field that has alternatives, for example "one of file, id, url". */
function choicesIn({ allOf = [] }: Schema): Map<string, string> {
  const choices = new Map<string, string>();
  for (const { oneOf, anyOf } of allOf) {
    const alternatives = (oneOf ?? anyOf ?? []).map(({ properties }) => Object.keys(properties ?? {})[0]!);
    if (alternatives.length < 2) continue;
    for (const name of alternatives) choices.set(name, `${oneOf ? "one" : "at least one"} of ${listed(alternatives)}`);
  }
  return choices;
}

const listed = (names: readonly string[]): string => names.map((name) => `\`${name}\``).join(", ");

function valuesOf(schema: Schema): string[] {
  const { enum: words, const: word, minimum, maximum, items, type, examples } = schema;
  if (items) return valuesOf(items);
  if (words) return words.map(String);
  if (word !== undefined) return [String(word)];
  if (minimum !== undefined && maximum !== undefined) return [`${minimum} to ${maximum}`];
  if (examples) return examples.map((example) => `e.g. ${example}`);
  return type === "integer" ? ["whole number"] : [];
}
