// Generates source files of the client from the operations (src/service/http/mcp/tools.ts).
import { camelCased } from "../../client/core/error.ts";
import type { Parameter, ParameterSchema, Tool } from "../../src/service/http/mcp/tools.ts";

const WRITTEN = "// Written by scripts/write-client.ts from the declarations of the endpoints: do not edit.\n";

/** Returns `client/core/operations.ts`: the table that the client runs by, and the types of its methods. */
export function operationsSource(tools: readonly Tool[]): string {
  return `${WRITTEN}import type { Inputs, Selected } from "./inputs.ts";
import type { CallOptions } from "./progress.ts";
import type { PendingResult } from "./result.ts";

/** Path and kind of input of each operation. */
export const OPERATIONS = {
${tools.map((tool) => `  ${tool.name}: ["${tool.path}", "${kindOf(tool)}"],\n`).join("")}} as const;

export type OperationName = keyof typeof OPERATIONS;

/** Page numbers and ranges: \`"1-3,last"\`, \`5\` or \`[1, "4-6"]\`. */
export type Pages = string | number | readonly (string | number)[];

/** A running operation: it can be awaited, be the input of another call, or go on: \`pw.pdf(file).pdfa(…).save(…)\`. */
export type Job = PendingResult & ChainedOperations;

${tools.map(paramsType).join("\n")}
/** The operations on an input. */
export interface Operations {
${tools.map((tool) => method(tool, inputOf(tool))).join("\n")}}

/** The operations on the result of another one. */
export interface ChainedOperations {
${tools
  .filter(({ input }) => input.kind !== "text")
  .map((tool) => method(tool, ""))
  .join("\n")}}
`;
}

/** Returns `client/cli/operation-schemas.ts`: the operations with the schemas of their parameters. */
export function declaredSource(tools: readonly Tool[]): string {
  return `${WRITTEN}import type { DeclaredOperation } from "./operation-types.ts";

export const OPERATION_SCHEMAS: readonly DeclaredOperation[] = ${JSON.stringify(tools, null, 2)};
`;
}

const kindOf = ({ input }: Tool) => (input.kind === "several" && input.selectable ? "selected" : input.kind);

const typeName = ({ name }: Tool) => `${name[0]!.toUpperCase()}${name.slice(1)}Params`;

function paramsType(tool: Tool): string {
  const members = tool.parameters.map((parameter) => {
    const { name, required, schema } = parameter;
    return `${comment(describe(schema), "  ")}  readonly ${camelCased(name)}${required ? "" : "?"}: ${typeOf(parameter)}${required ? "" : " | undefined"};\n`;
  });
  return `export interface ${typeName(tool)} {\n${members.join("")}}\n`;
}

function describe({ description, minimum, maximum, default: fallback, examples, items }: ParameterSchema): string {
  const range = minimum === undefined ? [] : [`@minimum ${minimum}`, `@maximum ${maximum}`];
  const shown = (examples ?? items?.examples ?? []).map((example) => `\`${example}\``);
  return [
    description,
    ...range,
    ...(shown.length > 0 ? [`@example ${shown.join(", ")}`] : []),
    ...(fallback === undefined ? [] : [`@default ${fallback}`]),
  ].join("\n");
}

function typeOf({ kind, schema }: Parameter): string {
  if (kind === "json") return "Readonly<Record<string, unknown>> | string";
  if (kind === "selection") return "Pages";
  if (schema.items) return "readonly (string | number)[]";
  if (schema.enum?.toSorted().join() === "off,on") return `boolean | "on" | "off"`;
  if (schema.enum)
    return schema.enum.map((word) => (/^\d+$/.test(word) ? `${word} | "${word}"` : `"${word}"`)).join(" | ");
  return schema.type === "integer" ? "number" : "string";
}

function inputOf(tool: Tool): string {
  switch (kindOf(tool)) {
    case "text":
      return "content: string | PromiseLike<string>, ";
    case "one":
      return "input: Inputs, ";
    case "selected":
      return "inputs: Iterable<Inputs | Selected>, ";
    default:
      return "inputs: Iterable<Inputs>, ";
  }
}

function method(tool: Tool, input: string): string {
  const isRequired = tool.parameters.some(({ required }) => required);
  const keyed = tool.variants.includes("private") ? "" : " Only in the keyed variant.";
  const about = [
    `${tool.summary}${keyed}`,
    ...(input === "" ? [] : [`@param ${input.split(":")[0]} ${tool.input.description}`]),
  ];
  return `${comment(about.join("\n"), "  ")}  ${tool.name}(${input}params${isRequired ? "" : "?"}: ${typeName(tool)}, options?: CallOptions): Job;\n`;
}

const WIDTH = 120;

/** Returns a comment wrapped at the width of the code. */
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
