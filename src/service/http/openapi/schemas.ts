// Makes JSON schemas of the fields and answers that endpoints declare.
import * as z from "zod";
import { BINARY, FILE_ID, type Json, ref } from "../contract/description.ts";
import type { Endpoint } from "../contract/endpoint.ts";
import { type Field, type Fields, type ListField, listName } from "../contract/fields.ts";
import { type InputDeclaration, takesPdfsOnly } from "../contract/input-declaration.ts";
import { describeFiles } from "../responses/file-info.ts";

/** The encodings of a request's body. */
export type Encoding = "multipart" | "json" | "urlencoded";

export const keyOf = (name: string, field: Field<unknown> | ListField<unknown>): string =>
  "item" in field ? listName(name) : name;

export function describeField(field: Field<unknown> | ListField<unknown>, encoding: Encoding): Json {
  const { description } = field;
  if ("item" in field) return { type: "array", items: describeType(field.item), description };
  const schema = inEncoding(field, describeType(field.schema), encoding);
  const { fallback } = field;
  if (fallback === undefined) return { ...schema, description };
  return { ...schema, description, default: schema.type === "integer" ? Number(fallback) : fallback };
}

function inEncoding(field: Field<unknown>, schema: Json, encoding: Encoding): Json {
  const content = field.content && ref(field.content.name);
  if (encoding === "multipart") return content ? { ...schema, contentSchema: content } : schema;
  if (field.isFile && encoding === "json") return { anyOf: [content ?? { type: "object" }, { type: "string" }] };
  if (field.isFile) return { type: "string" };
  if (encoding === "json" && field.joint !== undefined) {
    return { anyOf: [schema, { type: "array", items: { type: ["integer", "string"] }, minItems: 1 }] };
  }
  return schema;
}

/** Describes what JSON files contain, by the names of their schemas. */
export const describeContents = (fields: Fields): Record<string, Json> =>
  Object.fromEntries(
    Object.values(fields).flatMap((field) =>
      "content" in field && field.content ? [[field.content.name, describeType(field.content.schema)]] : [],
    ),
  );

function describeType(type: z.ZodType): Json {
  const { $schema: _, ...schema } = z.toJSONSchema(type, {
    // Numbers are described by their parsed value, texts by the input.
    io: "input",
    unrepresentable: "any",
    override: ({ zodSchema, jsonSchema }) => {
      if (zodSchema instanceof z.ZodPipe && zodSchema.out instanceof z.ZodNumber) {
        Object.assign(jsonSchema, z.toJSONSchema(zodSchema.out));
        delete jsonSchema.$schema;
      }
    },
  });
  return schema;
}

/** The fields of a source. Of those in `choices`, there is exactly one (`oneOf`) or at least one (`anyOf`). */
export interface SourceFields {
  readonly properties: Readonly<Record<string, Json>>;
  readonly required: readonly string[];
  readonly choices: readonly string[];
  readonly alternatives: "oneOf" | "anyOf";
}

/** Describes the fields of a source. Only a form of several parts carries files. */
export function describeSource(
  source: InputDeclaration,
  limits: { readonly maxFileBytes: number; readonly maxInputs: number },
  encoding: Encoding,
): SourceFields {
  if (source.kind === "text") {
    const text = { type: "string", description: source.description };
    return { properties: { [source.field]: text }, required: [source.field], choices: [], alternatives: "oneOf" };
  }
  const size = `at most ${Math.floor(limits.maxFileBytes / 2 ** 20)} MB`;
  const type = takesPdfsOnly(source) ? { contentMediaType: "application/pdf" } : {};
  const file = { ...BINARY, ...type, description: `${source.description}, ${size}.` };
  const isForm = encoding === "multipart";
  if (source.kind === "one") {
    const choices = {
      ...(isForm ? { file } : {}),
      id: { ...FILE_ID, description: "Id of a stored file, instead of a file." },
      url: {
        ...{ type: "string", format: "uri" },
        description: `Address of a file${source.webPages ? " or a web page" : ""}, instead of a file.`,
      },
    };
    return { properties: choices, required: [], choices: Object.keys(choices), alternatives: "oneOf" };
  }
  const several = (items: Json): Json => ({ type: "array", items, minItems: 1, maxItems: limits.maxInputs });
  const { orderedBy } = source;
  const kinds = { type: "string", enum: [...(isForm ? ["file"] : []), "id", "url"] };
  const order =
    orderedBy === undefined
      ? {}
      : {
          [listName(orderedBy)]: {
            ...several(kinds),
            description: "The kind of each input, which sets their order: the next file, id or URL.",
          },
        };
  const choices = {
    ...(isForm ? { file: { ...several(file), description: file.description } } : {}),
    "id[]": { ...several(FILE_ID), description: "Ids of stored files." },
    "url[]": { ...several({ type: "string", format: "uri" }), description: "Addresses of files, which are fetched." },
  };
  return {
    properties: { ...choices, ...order },
    required: Object.keys(order),
    choices: Object.keys(choices),
    alternatives: "anyOf",
  };
}

/** Describes the JSON that names what was made. */
export function describeResult({ outputNaming, input, extraFields = [] }: Endpoint): Json {
  const id = FILE_ID;
  const url = { type: "string", format: "uri" };
  const list = (items: Json, minItems: number): Json => ({ type: "array", items, minItems });
  const output = (item: Json): Json => {
    if (outputNaming === "name") return item;
    return outputNaming === "list" ? list(item, 1) : { oneOf: [item, list(item, 2)] };
  };
  const always: Record<string, Json> = {
    outputUrl: { ...output(url), description: "Where the output is read." },
    outputId: { ...output(id), description: "Id of the output." },
  };
  if (input.kind !== "text") {
    const ids = input.kind === "several" ? list(id, 1) : id;
    always.inputId = { ...ids, description: "Id of the input." };
  }
  const size = (of: string): Json => ({ type: "integer", minimum: 0, description: `Size of the ${of} in bytes.` });
  const text = { type: "string" };
  const font = { type: "object", properties: { name: text, replacedBy: text }, required: ["name"] };
  const properties: Json = {
    ...always,
    ...(outputNaming === "list" ? {} : { outputSize: size("output") }),
    ...(extraFields.includes("inputSize") ? { inputSize: size("input") } : {}),
    ...(input.kind === "text" ? {} : { inputFiles: describeFiles("input") }),
    outputFiles: describeFiles("output"),
    notices: {
      ...list(text, 1),
      description: "One sentence for each kind of content that was lost or replaced; absent if nothing was.",
    },
    ...(extraFields.includes("substitutedFonts")
      ? { substitutedFonts: { ...list(font, 1), description: "Fonts that were replaced; absent if none was." } }
      : {}),
  };
  return { type: "object", properties, required: Object.keys(always) };
}
