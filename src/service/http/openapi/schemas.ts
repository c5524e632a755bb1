// Makes JSON schemas of the inputs and answers that endpoints declare.

import type { Encoding } from "../contract/declaration/field-schemas.ts";
import { namingOf } from "../contract/declaration/output-declaration.ts";
import { BINARY, FILE_ID, type Json } from "../contract/description.ts";
import type { Endpoint } from "../contract/endpoint.ts";
import { listName } from "../contract/fields.ts";
import { type Inputs, mainInputOf, takesPdfsOnly } from "../contract/input-declaration.ts";
import { describeFiles } from "../responses/file-info.ts";

/** The fields of a source. Of those in `choices`, there is exactly one (`oneOf`) or at least one (`anyOf`). */
export interface SourceFields {
  readonly properties: Readonly<Record<string, Json>>;
  readonly required: readonly string[];
  readonly choices: readonly string[];
  readonly alternatives: "oneOf" | "anyOf";
}

/** Describes the fields of a source. Only a form of several parts carries files. */
export function describeSource(
  inputs: Inputs,
  limits: { readonly maxFileBytes: number; readonly maxInputs: number },
  encoding: Encoding,
): SourceFields {
  const source = mainInputOf(inputs);
  if (source.kind === "none") return { properties: {}, required: [], choices: [], alternatives: "oneOf" };
  if (source.kind === "text") {
    const text = { type: "string", description: source.description };
    return { properties: { [source.field]: text }, required: [source.field], choices: [], alternatives: "oneOf" };
  }
  const size = `at most ${Math.floor(limits.maxFileBytes / 2 ** 20)} MB`;
  const type = takesPdfsOnly(inputs) ? { contentMediaType: "application/pdf" } : {};
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
export function describeResult({ output: declared, inputs, extraFields = [] }: Endpoint): Json {
  const outputNaming = namingOf(declared);
  const input = mainInputOf(inputs);
  const isStored = input.kind === "one" || input.kind === "several";
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
  if (isStored) {
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
    ...(!isStored ? {} : { inputFiles: describeFiles("input") }),
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
