// Makes options of the parameters that an operation declares, and parameters of the options.
import { readFile } from "node:fs/promises";
import { InvalidArgumentError, Option } from "commander";
import { camelCased } from "../core/error.ts";
import type { Params } from "../core/pagewright.ts";
import type { DeclaredOperation, DeclaredParameter } from "./operation-types.ts";
import { UsageError } from "./usage-error.ts";

/** Values that commands choose where the contract requires a choice. */
const CHOSEN: Readonly<Record<string, string>> = {
  "compress compression_level": "medium",
  "pdfa output_type": "PDF/A-2b",
};

/** Options that say what another one is to be, unless that is given as well. */
const IMPLIED: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  "compress profile": { compressionLevel: "custom" },
  "compress profile_id": { compressionLevel: "custom" },
};

/** Returns the options of an operation. The name of the output follows from `--out` and `--dir`. */
export function optionsOf({ name: operation, parameters }: DeclaredOperation): readonly Option[] {
  return parameters
    .filter(({ name }) => name !== "output")
    .map((parameter) => {
      const key = `${operation} ${parameter.name}`;
      return optionOf(parameter, CHOSEN[key]).implies({ ...IMPLIED[key] });
    });
}

function optionOf(parameter: DeclaredParameter, chosen: string | undefined): Option {
  const { name, required, schema, kind } = parameter;
  const { minimum, maximum, enum: words, default: fallback, examples = schema.items?.examples } = schema;
  const flag = `--${name.replaceAll("_", "-")}`;
  const notes = [
    ...(minimum === undefined ? [] : [`${minimum} to ${maximum}`]),
    ...(examples ? [`for example ${examples.map((example) => `"${example}"`).join(", ")}`] : []),
    ...(fallback === undefined || isSwitch(parameter) ? [] : [`default: ${fallback}`]),
  ];
  const about = `${schema.description}${notes.length > 0 ? ` (${notes.join("; ")})` : ""}`;
  const option = new Option(isSwitch(parameter) ? flag : `${flag} <${placeholderOf(parameter)}>`, about);
  if (words && !isSwitch(parameter)) option.choices([...words]);
  if (minimum !== undefined) option.argParser((text) => numberIn(text, minimum, maximum!));
  if (schema.items) option.argParser((text, all: readonly string[] = []) => [...all, text]);
  if (kind === "json") option.argParser((path) => path);
  if (chosen !== undefined) return option.default(chosen);
  return option.makeOptionMandatory(required);
}

const isSwitch = ({ schema }: DeclaredParameter) => schema.enum?.toSorted().join() === "off,on";

function placeholderOf({ kind, name, schema }: DeclaredParameter): string {
  if (kind === "json") return "file";
  if (kind === "selection" || schema.items) return "pages";
  if (schema.type === "integer") return "number";
  return name.split("_").at(-1)!;
}

function numberIn(text: string, minimum: number, maximum: number): number {
  const number = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
  if (number >= minimum && number <= maximum) return number;
  throw new InvalidArgumentError(`It must be a whole number from ${minimum} to ${maximum}.`);
}

/** Returns the parameters that options of the command line stand for. */
export async function paramsOf({ parameters }: DeclaredOperation, options: Params): Promise<Params> {
  const params: Record<string, unknown> = {};
  for (const { name, kind } of parameters) {
    const value = name === "output" ? undefined : options[camelCased(name)];
    if (value !== undefined) params[camelCased(name)] = kind === "json" ? await readText(String(value)) : value;
  }
  return params;
}

async function readText(path: string): Promise<string> {
  try {
    return await readFile(path, "utf8");
  } catch (error) {
    throw new UsageError(`${path} cannot be read: ${(error as Error).message}`);
  }
}
