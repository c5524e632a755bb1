// Derives the operations that clients and agents see from the declarations of the endpoints: a short name, the kind of
// input, and the JSON schema of the parameters.
import type { Variant } from "../../settings/config.ts";
import { describeField, isRequired } from "../contract/declaration/field-schemas.ts";
import { namingOf } from "../contract/declaration/output-declaration.ts";
import type { Endpoint } from "../contract/endpoint.ts";
import { mainInputOf, takesPdfsOnly } from "../contract/input-declaration.ts";

/** A JSON schema (draft 2020-12) of one parameter. */
export interface ParameterSchema {
  readonly description: string;
  readonly type?: string;
  readonly enum?: readonly string[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly default?: string | number;
  readonly examples?: readonly string[];
  readonly items?: Omit<ParameterSchema, "description">;
}

export interface Parameter {
  /** As in a JSON body, without brackets. */
  readonly name: string;
  readonly required: boolean;
  /** `selection`: a page selection or a list of page numbers. `json`: a JSON object. `value`: as in the schema. */
  readonly kind: "value" | "selection" | "json";
  readonly schema: ParameterSchema;
}

/** An operation as its callers see it. */
export interface Tool {
  /** A verb, or the format of the output: `merge`, `png`. */
  readonly name: string;
  readonly path: string;
  readonly summary: string;
  readonly variants: readonly Variant[];
  readonly input: {
    readonly kind: "none" | "one" | "several" | "text";
    readonly description: string;
    /** True if each of several inputs has a page selection. */
    readonly selectable: boolean;
    /** True if the operation takes PDFs only. */
    readonly pdfOnly: boolean;
  };
  /** False: the operation makes one output. */
  readonly makesSeveral: boolean;
  readonly produces: string;
  readonly parameters: readonly Parameter[];
}

/** Reports whether the outputs of an operation are pictures. */
export const makesPictures = ({ produces }: Tool): boolean => produces.startsWith("image/");

export function toolOf(endpoint: Endpoint): Tool {
  const { verb, path, summary, variants, inputs, output } = endpoint;
  const input = mainInputOf(inputs);
  const perInput = input.kind === "several" ? (input.perInput ?? []) : [];
  return {
    name: verb,
    path,
    summary,
    variants,
    input: {
      kind: input.kind,
      description: input.kind === "none" ? "" : input.description,
      selectable: perInput.includes("pages"),
      pdfOnly: takesPdfsOnly(inputs),
    },
    makesSeveral: namingOf(output) !== "name",
    produces: output.type,
    parameters: parametersOf(endpoint, perInput),
  };
}

function parametersOf({ fields, output }: Endpoint, perInput: readonly string[]): readonly Parameter[] {
  return Object.entries(fields)
    .filter(([name]) => !perInput.includes(name))
    .map(([name, field]) => ({
      name,
      // A JSON body may leave the name of the output out (docs/api.md#json-bodies).
      required: isRequired(field) && name !== "output",
      kind: field.kind.json ? "json" : field.kind.joint ? "selection" : "value",
      schema: schemaOf(describeField(field, "multipart"), name, namingOf(output)),
    }));
}

function schemaOf(
  described: Record<string, unknown>,
  name: string,
  naming: ReturnType<typeof namingOf>,
): ParameterSchema {
  const { format: _, contentMediaType: __, contentSchema: ___, pattern: ____, ...schema } = described;
  if (name !== "output" || naming === "list") return schema as unknown as ParameterSchema;
  const fallback = " By default, it is made from the name of the input and the operation.";
  return { ...schema, description: `${schema.description}${fallback}` } as ParameterSchema;
}
