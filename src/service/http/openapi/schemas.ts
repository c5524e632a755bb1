// Makes JSON schemas of the parameters, inputs and outputs of operations.

import type { Described } from "../contract/described.ts";
import { BINARY, FILE_ID, type Json, ref } from "../contract/description.ts";
import { listName } from "../contract/fields.ts";
import type { DescribedInput, DescribedParameter } from "../contract/operation-list.ts";
import { describeFiles } from "../responses/file-info.ts";

/** The encodings of a request's body. */
export type Encoding = "multipart" | "json" | "urlencoded";

export function schemaOf(parameter: DescribedParameter, encoding: Encoding): Json {
  const { description, list, schema, default: fallback } = parameter;
  if (list) return { type: "array", items: schema, description };
  const described = { ...inEncoding(parameter, encoding), description };
  return fallback === undefined ? described : { ...described, default: fallback };
}

function inEncoding({ control, content, schema }: DescribedParameter, encoding: Encoding): Json {
  const contained = content && ref(content.name);
  if (encoding === "multipart") return contained ? { ...schema, contentSchema: contained } : { ...schema };
  if (control === "code" && encoding === "json")
    return { anyOf: [contained ?? { type: "object" }, { type: "string" }] };
  if (control === "code") return { type: "string" };
  if (control === "pages" && encoding === "json") {
    return { anyOf: [schema, { type: "array", items: { type: ["integer", "string"] }, minItems: 1 }] };
  }
  return { ...schema };
}

/** The fields of the inputs. Of those in `choices`, there is exactly one (`oneOf`) or at least one (`anyOf`). */
export interface InputFields {
  readonly properties: Readonly<Record<string, Json>>;
  readonly required: readonly string[];
  readonly choices: readonly string[];
  readonly alternatives: "oneOf" | "anyOf";
}

/** Describes the fields of the inputs. Only a form of several parts carries files. */
export function inputFields(
  input: DescribedInput,
  limits: { readonly maxFileBytes: number; readonly maxInputs: number },
  encoding: Encoding,
): InputFields {
  if (input.field !== undefined) {
    const text = { type: "string", description: input.description };
    return { properties: { [input.field]: text }, required: [input.field], choices: [], alternatives: "oneOf" };
  }
  const size = `at most ${Math.floor(limits.maxFileBytes / 2 ** 20)} MB`;
  const type = input.accepts === "pdf" ? { contentMediaType: "application/pdf" } : {};
  const file = { ...BINARY, ...type, description: `${input.description}, ${size}.` };
  const isForm = encoding === "multipart";
  if (input.kind === "one") {
    const choices = {
      ...(isForm ? { file } : {}),
      id: { ...FILE_ID, description: "Id of a stored file, instead of a file." },
      url: {
        ...{ type: "string", format: "uri" },
        description: `Address of a file${input.webPages ? " or a web page" : ""}, instead of a file.`,
      },
    };
    return { properties: choices, required: [], choices: Object.keys(choices), alternatives: "oneOf" };
  }
  const several = (items: Json): Json => ({ type: "array", items, minItems: 1, maxItems: limits.maxInputs });
  const { orderedBy } = input;
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
export function resultSchema({ input, output: { naming, extraFields } }: Described): Json {
  const id = FILE_ID;
  const url = { type: "string", format: "uri" };
  const list = (items: Json, minItems: number): Json => ({ type: "array", items, minItems });
  const output = (item: Json): Json => {
    if (naming === "name") return item;
    return naming === "list" ? list(item, 1) : { oneOf: [item, list(item, 2)] };
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
    ...(naming === "list" ? {} : { outputSize: size("output") }),
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
