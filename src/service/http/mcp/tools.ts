// Describes operations as MCP tools, with a JSON schema for the arguments.
import { type Described, fullDescription, isSelectable, jsonParameters } from "../contract/described.ts";
import type { DescribedFile, DescribedParameter } from "../contract/operation-list.ts";
import { SHOWN } from "./pictures.ts";

/** Reports whether the outputs of an operation are images. */
export const producesImages = ({ output }: Described): boolean => output.type.startsWith("image/");

const text = (description: string) => ({ type: "string", description });

const FILE = "Id of a stored file, its address, an upload address of create_upload, or any http(s) address";
const PAGES = 'Page selection such as "1-3,last", "even" or "all".';

const SHOW = {
  type: "integer",
  description: "How many of the first pictures the result shows.",
  ...{ minimum: 0, maximum: SHOWN.most, default: SHOWN.usually },
};

export function toolOf(operation: Described) {
  const { verb, summary, output, files } = operation;
  const parameters = jsonParameters(operation);
  const inputs = inputSchema(operation);
  return {
    name: verb,
    description: `${summary} ${resultOf(output)}`,
    inputSchema: {
      type: "object" as const,
      properties: {
        ...inputs.properties,
        ...Object.fromEntries(files.map((file) => [file.name, fileSchema(file)])),
        ...Object.fromEntries(parameters.map((parameter) => [parameter.name, argumentSchema(parameter)])),
        ...(producesImages(operation) ? { show: SHOW } : {}),
      },
      required: [
        ...inputs.required,
        ...[...files, ...parameters].filter(({ required }) => required).map(({ name }) => name),
      ],
      additionalProperties: false,
    },
    annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: true },
  };
}

const resultOf = ({ data, archives }: Described["output"]): string =>
  data ? "The result has the answer." : `The result links to ${archives ? "each output" : "the output"}.`;

function argumentSchema(parameter: DescribedParameter): object {
  const { control, list, schema, content, default: fallback } = parameter;
  const description = fullDescription(parameter);
  if (content && !content.isFile) return { ...content.schema, description };
  if (control === "code") return { type: "object", description };
  const { pattern: _, ...rest } = schema;
  const value = { description, ...(fallback === undefined ? {} : { default: fallback }) };
  return list ? { type: "array", items: rest, ...value } : { ...rest, ...value };
}

function fileSchema({ description, list, insteadOf }: DescribedFile): object {
  const instead = insteadOf === undefined ? "" : ` Instead of ${insteadOf}.`;
  const file = text(`${FILE}. Accepts: ${description}.${instead}`);
  return list ? { type: "array", items: file } : file;
}

function inputSchema(operation: Described): { readonly properties: object; readonly required: readonly string[] } {
  const { kind, description, field } = operation.input;
  if (kind === "none") return { properties: {}, required: [] };
  if (field !== undefined) return { properties: { [field]: text(description) }, required: [field] };
  const file = text(`${FILE}. Accepts: ${description}.`);
  if (kind === "one") return { properties: { input: file }, required: ["input"] };
  const selected = {
    type: "object",
    properties: { input: file, pages: { ...text(PAGES), default: "all" } },
    required: ["input"],
    additionalProperties: false,
  };
  const items = isSelectable(operation) ? selected : file;
  return { properties: { inputs: { type: "array", items, minItems: 1 } }, required: ["inputs"] };
}
