// Generates JSON schemas of the parameters, inputs and outputs of operations.

import { OUTPUT_URL } from "../contract/declaration/output-url.ts";
import { type Described, formName, fullDescription } from "../contract/described.ts";
import { BINARY, FILE_ID, type Json, ref } from "../contract/description.ts";
import { listName } from "../contract/fields.ts";
import type { DescribedFile, DescribedInput, DescribedParameter } from "../contract/operation-list.ts";
import { describeFiles } from "../responses/file-info.ts";

/** The encodings of a request's body. */
export type Encoding = "multipart" | "json" | "urlencoded";

export function schemaOf(parameter: DescribedParameter, encoding: Encoding): Json {
  const { list, schema, default: fallback } = parameter;
  const about = { description: fullDescription(parameter), ...(parameter.deprecated ? { deprecated: true } : {}) };
  if (list) return { type: "array", items: schema, ...about };
  const described = { ...inEncoding(parameter, encoding), ...about };
  return fallback === undefined ? described : { ...described, default: fallback };
}

function inEncoding({ control, joined, words, content, schema }: DescribedParameter, encoding: Encoding): Json {
  const contained = content?.name === undefined ? content?.schema : ref(content.name);
  if (contained && encoding === "json") return { anyOf: [contained, { type: "string" }] };
  if (contained && encoding === "multipart") return { ...schema, contentSchema: contained };
  if (contained) return { type: "string" };
  if (control === "file" && encoding === "multipart") return { ...schema, format: "binary" };
  if (joined && encoding === "json") {
    const items = words ? { type: "string", enum: words } : { type: ["integer", "string"] };
    return { anyOf: [schema, { type: "array", items, minItems: 1 }] };
  }
  return { ...schema };
}

/**
 * The fields of the inputs. Of the fields in `choices`, exactly one (`oneOf`) or at least one (`anyOf`) is required.
 */
export interface InputFields {
  readonly properties: Readonly<Record<string, Json>>;
  readonly required: readonly string[];
  readonly choices: readonly string[];
  readonly alternatives: "oneOf" | "anyOf";
}

/** Describes the fields of the inputs. Only multipart forms can contain files. */
export function inputFields(
  described: Pick<Described, "input" | "files">,
  limits: Limits,
  encoding: Encoding,
): InputFields {
  const main = mainFields(described.input, limits, encoding);
  const further = described.files.map((file) => fieldsOfFile(file, limits, encoding));
  return { ...main, properties: Object.assign({}, main.properties, ...further) };
}

/** Describes the fields of a further file. */
export function fieldsOfFile(
  { name, id, url, list, description }: DescribedFile,
  { maxInputs }: Limits,
  encoding: Encoding,
): Readonly<Record<string, Json>> {
  const instead = list ? "besides" : "instead of";
  const field = (schema: Json, about: string): Json => ({
    ...(list ? { type: "array", items: schema, maxItems: maxInputs } : schema),
    description: about,
  });
  return {
    ...(encoding === "multipart" ? { [name]: field(BINARY, `${description}.`) } : {}),
    [formName({ name: id, list })]: field(FILE_ID, `Id of a stored file, ${instead} ${name}.`),
    [formName({ name: url, list })]: field({ type: "string", format: "uri" }, `Address of a file, ${instead} ${name}.`),
  };
}

interface Limits {
  readonly maxFileBytes: number;
  readonly maxInputs: number;
}

function mainFields(input: DescribedInput, limits: Limits, encoding: Encoding): InputFields {
  if (input.kind === "none") return { properties: {}, required: [], choices: [], alternatives: "oneOf" };
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

/** Describes the JSON response: the IDs of the outputs, data, or either. */
export function resultSchema(described: Described): Json {
  const { data: _, ...files } = described.output;
  const isDeliverable = described.parameters.some(({ name }) => name === OUTPUT_URL);
  if (isDeliverable) return { anyOf: [oneResultSchema(described), deliveredSchema(described)] };
  if (!described.output.mayBeFile) return oneResultSchema(described);
  return { anyOf: [oneResultSchema(described), oneResultSchema({ ...described, output: files })] };
}

/** Describes the response if the output was sent to the client's address. */
function deliveredSchema(described: Described): Json {
  const { properties } = oneResultSchema(described) as { readonly properties: Json };
  const { outputId: _, files: __, outputFiles: ___, outputUrl, ...others } = properties as Record<string, Json>;
  const place = { ...outputUrl, description: "The address that received the output, without its query." };
  return { type: "object", properties: { outputUrl: place, ...others }, required: ["outputUrl"] };
}

function oneResultSchema({ input, files, output: { naming, extraFields, data, optionalData = [] } }: Described): Json {
  const id = FILE_ID;
  const url = { type: "string", format: "uri" };
  const list = (items: Json, minItems: number): Json => ({ type: "array", items, minItems });
  // An operation that can find nothing returns empty lists, with a warning.
  const fewest = extraFields.includes("warning") ? 0 : 1;
  const output = (item: Json): Json => {
    if (naming === "name") return item;
    return naming === "list" ? list(item, fewest) : { oneOf: [item, list(item, 2)] };
  };
  const isStored = input.kind === "one" || input.kind === "several";
  const always: Record<string, Json> = data
    ? { ...(data as Record<string, Json>) }
    : {
        outputUrl: { ...output(url), description: "Where the output is read." },
        outputId: { ...output(id), description: "Id of the output." },
      };
  if (extraFields.includes("files")) {
    const named = { type: "object", properties: { name: { type: "string" }, id, outputUrl: url } };
    const file = { ...named, required: ["name", "id", "outputUrl"] };
    always.files = { ...list(file, fewest), description: "The outputs with their names." };
  }
  if (isStored) {
    const ids =
      input.kind === "several"
        ? list(id, 1)
        : files.some(({ unlisted }) => !unlisted)
          ? { oneOf: [id, list(id, 2)] }
          : id;
    always.inputId = { ...ids, description: "Id of the input." };
  }
  const size = (of: string): Json => ({ type: "integer", minimum: 0, description: `Size of the ${of} in bytes.` });
  const text = { type: "string" };
  const font = {
    type: "object",
    properties: { name: text, replacedBy: text, sameWidths: { type: "boolean" } },
    required: ["name", "sameWidths"],
  };
  const properties: Json = {
    ...always,
    ...(naming === "list" || data ? {} : { outputSize: size("output") }),
    ...(extraFields.includes("inputSize") ? { inputSize: size("input") } : {}),
    ...(isStored ? { inputFiles: describeFiles("input") } : {}),
    ...(data ? {} : { outputFiles: describeFiles("output") }),
    notices: {
      ...list(text, 1),
      description: "One sentence for each kind of content that was lost or replaced; absent if nothing was.",
    },
    ...(fewest === 0 ? { warning: { ...text, description: "States that nothing was found; absent otherwise." } } : {}),
    ...(extraFields.includes("substitutedFonts")
      ? { substitutedFonts: { ...list(font, 1), description: "Fonts that were replaced; absent if none was." } }
      : {}),
  };
  return { type: "object", properties, required: Object.keys(always).filter((name) => !optionalData.includes(name)) };
}
