// Describes fields by JSON schemas, for everything that looks at declarations from outside.
import type { JsonContent, Parameter, Parameters } from "../../../../document/contract/parameter.ts";
import { type Json, ref } from "../description.ts";

/** The encodings of a request's body. */
export type Encoding = "multipart" | "json" | "urlencoded";

/** Reports whether every request must have the field. */
export const isRequired = ({ isOptional, default: fallback, onlyWith }: Parameter): boolean =>
  !isOptional && fallback === undefined && onlyWith === undefined;

export function describeField({ description, kind, default: fallback }: Parameter, encoding: Encoding): Json {
  const { joint, json } = kind;
  const schema = json ? describeJson(json, encoding) : kind.schema;
  const described =
    encoding === "json" && joint !== undefined
      ? { anyOf: [schema, { type: "array", items: { type: ["integer", "string"] }, minItems: 1 }] }
      : schema;
  if (fallback === undefined) return { ...described, description };
  const isNumber = kind.control === "number";
  return { ...described, description, default: isNumber ? Number(fallback) : fallback };
}

function describeJson({ name, file, schema }: JsonContent, encoding: Encoding): Json {
  const content = name === undefined ? schema : ref(name);
  if (encoding === "json") return { anyOf: [content, { type: "string" }] };
  if (encoding === "urlencoded" || file === undefined) return { type: "string" };
  return { type: "string", format: "binary", contentMediaType: "application/json", contentSchema: content };
}

/** Describes JSON by the names of its schemas. */
export const describeContents = (fields: Parameters): Record<string, Json> =>
  Object.fromEntries(
    Object.values(fields).flatMap(({ kind: { json } }) => (json?.name === undefined ? [] : [[json.name, json.schema]])),
  );
