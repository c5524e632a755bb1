// Describes endpoints from their declarations: bodies in every encoding, answers in every form, and errors.
import type { Config } from "../../settings/config.ts";
import { describeContents, describeField, type Encoding, isRequired } from "../contract/declaration/field-schemas.ts";
import { namingOf } from "../contract/declaration/output-declaration.ts";
import {
  BINARY,
  EXAMPLE_INPUT,
  EXAMPLE_OUTPUT,
  exampleBytes,
  FILE_ID,
  type Json,
  json,
  type MediaTypeObject,
  type ParametersByName,
  type PathDescription,
  type ResponseDescription,
} from "../contract/description.ts";
import { type Endpoint, uploadLimit } from "../contract/endpoint.ts";
import {
  crashed,
  duplicateField,
  fieldRequired,
  fileTooLarge,
  needsTooMuchMemory,
  notAcceptable,
  outOfRange,
  outputTooLarge,
  type ServiceError,
  storageFull,
  timedOut,
} from "../contract/errors.ts";
import { idFieldOf, listName, spellingOf } from "../contract/fields.ts";
import { errorsOf, mainInputOf } from "../contract/input-declaration.ts";
import { needsOutput } from "../contract/output-name.ts";
import { errorsOfBody } from "../requests/read-form.ts";
import { fileUrl } from "../responses/operation-response.ts";
import { describeResult, describeSource } from "./schemas.ts";

/** Describes an endpoint of a deployment. */
export function describeEndpoint(endpoint: Endpoint, config: Config, baseUrl: string): PathDescription {
  const name = endpoint.path.slice(1);
  return {
    path: endpoint.path,
    section: name,
    schemas: describeContents(endpoint.fields),
    operations: [
      {
        ...{ method: "post", id: name, tag: "Operations", summary: endpoint.summary, needsKey: true },
        headers: REQUEST_HEADERS,
        body: {
          "multipart/form-data": describeBody(endpoint, config, "multipart"),
          "application/json": describeBody(endpoint, config, "json"),
          "application/x-www-form-urlencoded": describeBody(endpoint, config, "urlencoded"),
        },
        answers: { 200: describeAnswer(endpoint, baseUrl) },
        errors: errorsOfEndpoint(endpoint, config),
      },
    ],
  };
}

const REQUEST_HEADERS: ParametersByName = {
  Prefer: {
    description: "`return=representation; store` stores a file that is the answer, which has an Output-Id then.",
    example: "return=representation; store",
  },
};

function errorsOfEndpoint(endpoint: Endpoint, config: Config): readonly ServiceError[] {
  return [
    ...errorsOf(endpoint.inputs),
    ...(needsOutput(endpoint, "multipart", config.dialect) ? [fieldRequired("output")] : []),
    outOfRange("output", "///"),
    duplicateField("output"),
    ...(endpoint.errors ?? []),
    fileTooLarge(uploadLimit(endpoint, config)),
    outputTooLarge(config.maxOutputBytes),
    ...errorsOfBody("output"),
    needsTooMuchMemory(),
    notAcceptable(["application/json", ...Object.keys(filesOf(endpoint))]),
    crashed(),
    timedOut(),
    storageFull(),
  ];
}

/** Describes the body in one encoding, with its inputs as alternatives that have all of their properties. */
function describeBody(endpoint: Endpoint, config: Config, encoding: Encoding): MediaTypeObject {
  const fields = Object.entries(endpoint.fields);
  const limits = { maxFileBytes: uploadLimit(endpoint, config), maxInputs: config.maxInputs };
  const { properties: inputs, required, choices, alternatives } = describeSource(endpoint.inputs, limits, encoding);
  const described = fields.map(([name, field]) => [spellingOf(name, field), describeField(field, encoding)] as const);
  const properties: Readonly<Record<string, Json>> = { ...inputs, ...Object.fromEntries(described) };
  const needed = fields
    .filter(([name, field]) =>
      name === "output" ? needsOutput(endpoint, encoding, config.dialect) : isRequired(field),
    )
    .map(([name, field]) => spellingOf(name, field));
  const alone = (name: string): Json => object({ [name]: properties[name] }, [name]);
  const conditions = [
    ...(choices.length === 0 ? [] : [{ [alternatives]: choices.map(alone) }]),
    ...fields.flatMap(([name, field]) => {
      if (field.onlyWith === undefined || field.isOptional || field.default !== undefined) return [];
      const { parameter: other, is } = field.onlyWith;
      const otherwise = object({ [other]: { type: "string", not: { const: is } } }, [other]);
      const stored = idFieldOf(name) in properties ? [idFieldOf(name)] : [];
      return [{ anyOf: [otherwise, ...[name, ...stored].map(alone)] }];
    }),
  ];
  return {
    schema: {
      ...object(properties, [...required, ...needed]),
      ...(conditions.length > 0 ? { allOf: conditions } : {}),
    },
    example: exampleOf(endpoint, encoding),
  };
}

const object = (properties: Json, required: readonly string[]): Json => ({ type: "object", properties, required });

function exampleOf({ inputs: declared, output, example = {} }: Endpoint, encoding: Encoding): Json {
  const input = mainInputOf(declared);
  const { file = "report.pdf", ...values } = example;
  const named = { ...values, ...(output.kind === "files" && !output.isOptional ? { output: "result" } : {}) };
  const isForm = encoding === "multipart";
  if (input.kind === "none") return named;
  if (input.kind === "text") return { [input.field]: "<h1>Report</h1>", ...named };
  if (input.kind === "one")
    return { ...(isForm ? { file: exampleBytes(String(file)) } : { id: EXAMPLE_INPUT }), ...named };
  const kind = isForm ? "file" : "id";
  const inputs = isForm ? { file: ["report.pdf", "appendix.pdf"].map(exampleBytes) } : { "id[]": EXAMPLE_INPUTS };
  const order = input.orderedBy === undefined ? {} : { [listName(input.orderedBy)]: [kind, kind] };
  return { ...inputs, ...order, ...named };
}

const EXAMPLE_INPUTS = [EXAMPLE_INPUT, EXAMPLE_OUTPUT];

function describeAnswer(endpoint: Endpoint, baseUrl: string): ResponseDescription {
  return {
    description: "What was made: stored, or the answer itself, as the header Accept says.",
    headers: ANSWER_HEADERS,
    content: { ...json(describeResult(endpoint), exampleOfResult(endpoint, baseUrl)), ...filesOf(endpoint) },
  };
}

/** Returns the forms of an answer besides JSON. */
function filesOf({ output }: Endpoint): Record<string, MediaTypeObject> {
  const types = namingOf(output) === "name" ? [output.type] : [output.type, "application/zip"];
  return Object.fromEntries(types.map((type) => [type, { schema: { ...BINARY, contentMediaType: type } }]));
}

function exampleOfResult({ output, inputs: declared, extraFields = [] }: Endpoint, baseUrl: string): Json {
  const url = fileUrl(baseUrl, EXAMPLE_OUTPUT);
  const isList = namingOf(output) === "list";
  const inputs = { none: {}, text: {}, one: { inputId: EXAMPLE_INPUT }, several: { inputId: EXAMPLE_INPUTS } };
  return {
    outputUrl: isList ? [url] : url,
    outputId: isList ? [EXAMPLE_OUTPUT] : EXAMPLE_OUTPUT,
    ...inputs[mainInputOf(declared).kind],
    ...(isList ? {} : { outputSize: 48_213 }),
    ...(extraFields.includes("inputSize") ? { inputSize: 310_772 } : {}),
  };
}

const ANSWER_HEADERS: ParametersByName = {
  "Output-Id": { description: "Id of the file that is the answer, if it is stored.", schema: FILE_ID },
  "Content-Disposition": {
    description: "Name of the file that is the answer.",
    example: "attachment; filename=report.pdf",
  },
  Notices: {
    description: "What the documents lost, as a list of strings (RFC 9651); absent if nothing was lost.",
    example: '"JavaScript was removed"',
  },
  "Preference-Applied": { description: "The part of Prefer that was followed.", example: "return=representation" },
};
