// Describes operations in OpenAPI: bodies in every encoding, responses in every format, and errors.
import type { Config } from "../../settings/config.ts";
import { DEPRECATION_HEADERS } from "../contract/declaration/deprecation.ts";
import { type Described, describe, formName } from "../contract/described.ts";
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
import { idFieldOf, listName } from "../contract/fields.ts";
import type { DescribedFile, DescribedParameter } from "../contract/operation-list.ts";
import { needsOutput } from "../contract/output-name.ts";
import { errorsOfBody } from "../requests/read-form.ts";
import { fileUrl } from "../responses/operation-response.ts";
import { type Encoding, fieldsOfFile, inputFields, resultSchema, schemaOf } from "./schemas.ts";

/** An operation with the limits of a deployment. */
interface Deployed extends Described {
  readonly limits: { readonly maxFileBytes: number; readonly maxInputs: number };
  needsOutput(encoding: Encoding): boolean;
}

/** Describes an endpoint of a deployment. */
export function describeEndpoint(endpoint: Endpoint, config: Config, baseUrl: string): PathDescription {
  const operation: Deployed = {
    ...describe(endpoint),
    limits: { maxFileBytes: uploadLimit(endpoint, config), maxInputs: config.maxInputs },
    needsOutput: (encoding) => needsOutput(endpoint, encoding, config.dialect),
  };
  const { path, summary, parameters, deprecated } = operation;
  const id = path.slice(1);
  return {
    path,
    section: id,
    schemas: Object.fromEntries(
      parameters.flatMap(({ content }) => (content?.name === undefined ? [] : [[content.name, { ...content.schema }]])),
    ),
    operations: [
      {
        ...{ method: "post", id, tag: "Operations", summary, needsKey: true, ...(deprecated ? { deprecated } : {}) },
        headers: REQUEST_HEADERS,
        body: {
          "multipart/form-data": describeBody(operation, "multipart"),
          "application/json": describeBody(operation, "json"),
          "application/x-www-form-urlencoded": describeBody(operation, "urlencoded"),
        },
        responses: { 200: describeResponse(operation, baseUrl) },
        errors: errorsOfOperation(operation, config),
      },
    ],
  };
}

const REQUEST_HEADERS: ParametersByName = {
  Prefer: {
    description: "`return=representation; store` also stores the file in the response, which then has an Output-Id.",
    example: "return=representation; store",
  },
};

function errorsOfOperation(operation: Deployed, config: Config): readonly ServiceError[] {
  return [
    ...operation.errors,
    ...(operation.needsOutput("multipart") ? [fieldRequired("output")] : []),
    outOfRange("output", "///"),
    duplicateField("output"),
    fileTooLarge(operation.limits.maxFileBytes),
    outputTooLarge(config.maxOutputBytes),
    ...errorsOfBody("output"),
    needsTooMuchMemory(),
    notAcceptable(["application/json", ...Object.keys(filesOf(operation))]),
    crashed(),
    timedOut(),
    storageFull(),
  ];
}

/**
 * Describes the body in one encoding. If there are alternative inputs, such as a file or an ID, the schema has
 * alternatives with different required properties.
 */
function describeBody(operation: Deployed, encoding: Encoding): MediaTypeObject {
  const { limits, parameters, files } = operation;
  const { properties: inputs, required, choices, alternatives } = inputFields(operation, limits, encoding);
  const described = parameters.map((parameter) => [formName(parameter), schemaOf(parameter, encoding)] as const);
  const properties: Readonly<Record<string, Json>> = { ...inputs, ...Object.fromEntries(described) };
  const needed = parameters.filter(({ name, required }) =>
    name === "output" ? operation.needsOutput(encoding) : required,
  );
  const alone = (name: string): Json => object({ [name]: properties[name] }, [name]);
  const conditions = [
    ...(choices.length === 0 ? [] : [{ [alternatives]: choices.map(alone) }]),
    ...files
      .filter(({ required, insteadOf }) => required || insteadOf !== undefined)
      .map((file) => ({ [file.list ? "anyOf" : "oneOf"]: alternativesOf(file, operation, encoding).map(alone) })),
    ...parameters.flatMap((parameter) => conditionOf(parameter, parameters, alone) ?? []),
  ];
  return {
    schema: {
      ...object(properties, [...required, ...needed.map(formName)]),
      ...(conditions.length > 0 ? { allOf: conditions } : {}),
    },
    example: exampleOf(operation, encoding),
  };
}

/**
 * Returns the fields of which one is required: all fields of a further file, and of the file or parameter that can
 * replace it.
 */
function alternativesOf(file: DescribedFile, { limits, files, parameters }: Deployed, encoding: Encoding) {
  const { insteadOf } = file;
  const parameter = parameters.filter(({ name }) => name === insteadOf).map(formName);
  const both = [file, ...files.filter(({ name }) => name === insteadOf)];
  return [...parameter, ...both.flatMap((one) => Object.keys(fieldsOfFile(one, limits, encoding)))];
}

/**
 * Returns a schema that requires a parameter, or the ID of a stored file instead, if another parameter has certain
 * values.
 */
function conditionOf(
  { name, requiredIf }: DescribedParameter,
  all: readonly DescribedParameter[],
  alone: (name: string) => Json,
): Json | undefined {
  if (!requiredIf) return undefined;
  const { field, is } = requiredIf;
  const otherwise = object({ [field]: { type: "string", not: { enum: is } } }, [field]);
  const stored = all.filter(({ standsFor }) => standsFor === name).map((parameter) => parameter.name);
  return { anyOf: [otherwise, ...[name, ...stored].map(alone)] };
}

const object = (properties: Json, required: readonly string[]): Json => ({ type: "object", properties, required });

function exampleOf({ input, files, parameters, example }: Described, encoding: Encoding): Json {
  const { file = "report.pdf", ...values } = example;
  const isOfFile = (field: string) => files.some(({ name }) => name === field);
  const isNamed = parameters.some(({ name, required }) => name === "output" && required);
  const isForm = encoding === "multipart";
  const further = files.flatMap((one) => {
    const names = values[one.name] ?? (one.required ? one.name : []);
    const sent = [names].flat().map((name) => (isForm ? exampleBytes(String(name)) : EXAMPLE_OUTPUT));
    const field = isForm ? one.name : formName({ ...one, name: one.id });
    return sent.length === 0 ? [] : [[field, one.list ? sent : sent[0]] as const];
  });
  const secretFiles = new Set(parameters.flatMap(({ name, control }) => (control === "file" ? [name] : [])));
  const others = Object.entries(values).flatMap(([name, value]) => {
    if (!secretFiles.has(name)) return isOfFile(name) ? [] : [[name, value] as const];
    return [isForm ? ([name, exampleBytes(String(value))] as const) : ([idFieldOf(name), EXAMPLE_OUTPUT] as const)];
  });
  const named = { ...Object.fromEntries([...further, ...others]), ...(isNamed ? { output: "result" } : {}) };
  if (input.kind === "none") return named;
  if (input.field !== undefined) return { [input.field]: "<h1>Report</h1>", ...named };
  if (input.kind === "one")
    return { ...(isForm ? { file: exampleBytes(String(file)) } : { id: EXAMPLE_INPUT }), ...named };
  const kind = isForm ? "file" : "id";
  const inputs = isForm ? { file: ["report.pdf", "appendix.pdf"].map(exampleBytes) } : { "id[]": EXAMPLE_INPUTS };
  const order = input.orderedBy === undefined ? {} : { [listName(input.orderedBy)]: [kind, kind] };
  return { ...inputs, ...order, ...named };
}

const EXAMPLE_INPUTS = [EXAMPLE_INPUT, EXAMPLE_OUTPUT];

function describeResponse(operation: Described, baseUrl: string): ResponseDescription {
  const mayEnd = [operation, ...operation.parameters].some(({ deprecated }) => deprecated);
  return {
    description: "The outputs: stored, or as the response body, depending on the header Accept.",
    headers: { ...ANSWER_HEADERS, ...(mayEnd ? DEPRECATION_HEADERS : {}) },
    content: { ...json(resultSchema(operation), exampleOfResult(operation, baseUrl)), ...filesOf(operation) },
  };
}

/** Returns the response formats other than JSON. */
function filesOf({ output: { type, otherTypes = [], archives } }: Described): Record<string, MediaTypeObject> {
  if (type === "application/json") return {};
  const types = [type, ...otherTypes, ...(archives ? ["application/zip"] : [])];
  return Object.fromEntries(types.map((type) => [type, { schema: { ...BINARY, contentMediaType: type } }]));
}

function exampleOfResult(
  { input, output: { naming, extraFields, data } }: Described,
  baseUrl: string,
): Json | undefined {
  if (data) return undefined;
  const url = fileUrl(baseUrl, EXAMPLE_OUTPUT);
  const isList = naming === "list";
  const inputs = { none: {}, text: {}, one: { inputId: EXAMPLE_INPUT }, several: { inputId: EXAMPLE_INPUTS } };
  return {
    outputUrl: isList ? [url] : url,
    outputId: isList ? [EXAMPLE_OUTPUT] : EXAMPLE_OUTPUT,
    ...inputs[input.kind],
    ...(extraFields.includes("files") ? { files: [{ name: "a.txt", id: EXAMPLE_OUTPUT, outputUrl: url }] } : {}),
    ...(isList ? {} : { outputSize: 48_213 }),
    ...(extraFields.includes("inputSize") ? { inputSize: 310_772 } : {}),
  };
}

const ANSWER_HEADERS: ParametersByName = {
  "Output-Id": { description: "ID of the file in the response, if it is stored.", schema: FILE_ID },
  "Content-Disposition": {
    description: "Name of the file in the response.",
    example: "attachment; filename=report.pdf",
  },
  Notices: {
    description: "What the documents lost, as a list of strings (RFC 9651); absent if nothing was lost.",
    example: '"JavaScript was removed"',
  },
  "Preference-Applied": { description: "The part of Prefer that was followed.", example: "return=representation" },
};
