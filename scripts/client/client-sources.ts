// Generates source files of the client from the endpoints' operations (src/service/http/contract/described.ts).
import type { OperationSchema } from "../../client/cli/operation-types.ts";
import { camelCased } from "../../client/core/error.ts";
import { type Described, isSelectable, jsonParameters } from "../../src/service/http/contract/described.ts";
import type { DescribedParameter } from "../../src/service/http/contract/operation-list.ts";

export const WRITTEN = "// Written by scripts/write-client.ts from the declarations of the endpoints: do not edit.\n";

/**
 * Returns `client/generated/operations.ts`: the table of operations that the client uses, and the types of its methods.
 */
export function operationsSource(operations: readonly Described[]): string {
  return `${WRITTEN}import type { Inputs, InputWithPages } from "../core/inputs.ts";
import type { CallOptions } from "../core/progress.ts";
import type { PendingResult } from "../core/result.ts";

/** Path, kind of input, and further files of each operation; true if the response is data. */
export const OPERATIONS = {
${operations.map(entryOf).join("")}} as const;

export type OperationName = keyof typeof OPERATIONS;

/** Page numbers and ranges: \`"1-3,last"\`, \`5\` or \`[1, "4-6"]\`. */
export type Pages = string | number | readonly (string | number)[];

/** A running operation: it can be awaited, be the input of another call, or go on: \`pw.pdf(file).pdfa(…).save(…)\`. */
export type Job = PendingResult & ChainedOperations;

${operations.map(paramsType).join("\n")}
/** The operations on an input. */
export interface Operations {
${operations.map((operation) => method(operation, inputOf(operation))).join("\n")}}

/** The operations on the result of another one. */
export interface ChainedOperations {
${operations
  .filter(({ input }) => input.kind === "one" || input.kind === "several")
  .map((operation) => method(operation, ""))
  .join("\n")}}
`;
}

/** Returns `client/generated/operation-schemas.ts`: the operations with their parameters' schemas. */
export function schemasSource(operations: readonly Described[]): string {
  return `${WRITTEN}import type { OperationSchema } from "../cli/operation-types.ts";

export const OPERATION_SCHEMAS: readonly OperationSchema[] = ${JSON.stringify(operations.map(operationSchema), null, 2)};
`;
}

function entryOf(operation: Described): string {
  const { verb, path, files, output } = operation;
  const further = files.map(({ name, id, url, list }) => JSON.stringify({ name, id, url, list }));
  const listed = further.length > 0 || output.data ? `, [${further.join(", ")}]` : "";
  const last = output.data ? ", true" : "";
  return `  ${verb}: ["${path}", "${kindOf(operation)}"${listed}${last}],\n`;
}

function operationSchema(operation: Described): OperationSchema {
  const { verb, path, summary, variants, input, files, output, example } = operation;
  const { kind, description, accepts } = input;
  const { type, archives, joinedName, data, extraFields } = output;
  return {
    ...{ name: verb as OperationSchema["name"], path, summary, variants },
    input: { kind, description, accepts, selectable: isSelectable(operation) },
    output: {
      ...{ type, archives, ...(data ? { isData: true as const } : {}) },
      ...(extraFields.includes("files") ? { hasNames: true as const } : {}),
      ...(joinedName === undefined ? {} : { joinedName }),
    },
    files: files.map(({ unlisted: _, ...file }) => file),
    parameters: jsonParameters(operation).map(({ content: _, ...parameter }) => ({
      ...parameter,
      ...((parameter.required || parameter.requiredIf) &&
      parameter.control !== "code" &&
      !parameter.secret &&
      example[parameter.name] !== undefined
        ? { example: String(example[parameter.name]) }
        : {}),
    })),
  };
}

const kindOf = (operation: Described) => (isSelectable(operation) ? "selected" : operation.input.kind);

const typeName = ({ verb }: Described) => `${verb[0]!.toUpperCase()}${verb.slice(1)}Params`;

function paramsType(operation: Described): string {
  const members = jsonParameters(operation).map((parameter) => {
    const { name, required } = parameter;
    return `${comment(describe(parameter), "  ")}  readonly ${camelCased(name)}${required ? "" : "?"}: ${typeOf(parameter)}${required ? "" : " | undefined"};\n`;
  });
  const files = operation.files.map(({ name, required, list, description, insteadOf }) => {
    const about = insteadOf === undefined ? description : `${description}\nInstead of \`${camelCased(insteadOf)}\`.`;
    const type = list ? "Iterable<Inputs>" : "Inputs";
    return `${comment(about, "  ")}  readonly ${camelCased(name)}${required ? "" : "?"}: ${type}${required ? "" : " | undefined"};\n`;
  });
  return `export interface ${typeName(operation)} {\n${[...files, ...members].join("")}}\n`;
}

function describe({ description, schema, deprecated, default: fallback }: DescribedParameter): string {
  const { minimum, maximum, examples = [] } = schema;
  const range = minimum === undefined ? [] : [`@minimum ${minimum}`, `@maximum ${maximum}`];
  const shown = examples.map((example) => `\`${example}\``);
  return [
    description,
    ...range,
    ...(shown.length > 0 ? [`@example ${shown.join(", ")}`] : []),
    ...(fallback === undefined ? [] : [`@default ${fallback}`]),
    ...(deprecated ? ["@deprecated"] : []),
  ].join("\n");
}

function typeOf({ control, list, joined, schema, content }: DescribedParameter): string {
  if (list) return "readonly (string | number)[]";
  const object = "Readonly<Record<string, unknown>>";
  switch (control) {
    case "code":
      return content?.schema.type === "array" ? `readonly ${object}[] | ${object} | string` : `${object} | string`;
    case "pages":
    case "listed-pages":
      return "Pages";
    case "switch":
      return `boolean | "on" | "off"`;
    case "choice":
      return schema.enum!.map((word) => (/^\d+$/.test(word) ? `${word} | "${word}"` : `"${word}"`)).join(" | ");
    default:
      if (schema.type === "integer" || schema.type === "number") return "number";
      return joined ? "string | readonly (string | number)[]" : "string";
  }
}

function inputOf(operation: Described): string {
  switch (kindOf(operation)) {
    case "none":
      return "";
    case "text":
      return "content: string | PromiseLike<string>, ";
    case "one":
      return "input: Inputs, ";
    case "selected":
      return "inputs: Iterable<Inputs | InputWithPages>, ";
    default:
      return "inputs: Iterable<Inputs>, ";
  }
}

function method(operation: Described, input: string): string {
  const { verb, summary, deprecated, variants } = operation;
  const isRequired = [...jsonParameters(operation), ...operation.files].some(({ required }) => required);
  const keyed = variants.includes("private") ? "" : " Only in the keyed variant.";
  const about = [
    `${summary}${keyed}`,
    ...(input === "" ? [] : [`@param ${input.split(":")[0]} ${operation.input.description}`]),
    ...(deprecated ? ["@deprecated"] : []),
  ];
  return `${comment(about.join("\n"), "  ")}  ${verb}(${input}params${isRequired ? "" : "?"}: ${typeName(operation)}, options?: CallOptions): Job;\n`;
}

const WIDTH = 120;

/** Returns a doc comment, wrapped at the code's width. */
function comment(text: string, indent: string): string {
  if (!text.includes("\n") && indent.length + text.length + 7 <= WIDTH) return `${indent}/** ${text} */\n`;
  const lines = text.split("\n").flatMap((paragraph) => {
    const wrapped: string[] = [];
    for (const word of paragraph.split(" ")) {
      const last = wrapped.at(-1);
      if (last !== undefined && indent.length + 3 + last.length + 1 + word.length <= WIDTH)
        wrapped.push(`${wrapped.pop()} ${word}`);
      else wrapped.push(word);
    }
    return wrapped;
  });
  return `${indent}/**\n${lines.map((line) => `${indent} * ${line}\n`).join("")}${indent} */\n`;
}
