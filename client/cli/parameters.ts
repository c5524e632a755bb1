// Converts the declared parameters of an operation to command line options, and parsed options to parameters of a
// request.
import { readFile } from "node:fs/promises";
import { InvalidArgumentError, Option } from "commander";
import { camelCased } from "../core/error.ts";
import type { Params } from "../core/pagewright.ts";
import { ID } from "./operands.ts";
import type { FileSchema, OperationSchema, ParameterSchema } from "./operation-types.ts";
import { UsageError } from "./usage-error.ts";

/** Returns the options of an operation. The name and the address of the output are no options, because `--out` and `--dir` determine the place. */
export function optionsOf({ parameters, files }: OperationSchema): readonly Option[] {
  const options = parameters
    .filter(({ name }) => name !== "output" && name !== "output_url")
    .flatMap((parameter) => [
      optionOf(parameter).implies(impliedBy(parameter, parameters)),
      ...(parameter.control === "password" ? [passwordFileOptionOf(parameter)] : []),
    ]);
  return [...files.map(fileOptionOf), ...options];
}

/** Returns the option for a file with a password: other users of the machine can see the arguments of a program. */
const passwordFileOptionOf = ({ name }: ParameterSchema): Option =>
  new Option(
    `${flagOf(name)}-file <file>`,
    `file, or - for standard input, whose first line is ${flagOf(name)} (or ${variableOf(name)})`,
  );

/** Returns the environment variable that contains a password. */
const variableOf = (name: string): string => `PAGEWRIGHT_${name.toUpperCase()}`;

function fileOptionOf({ name, description, required, list, insteadOf }: FileSchema): Option {
  const notes = [
    "a path, an address or an id",
    ...(list ? ["can be repeated"] : []),
    ...(insteadOf === undefined ? [] : [`instead of ${flagOf(insteadOf)}`]),
  ];
  const option = new Option(`${flagOf(name)} <file>`, `${description} (${notes.join("; ")})`);
  if (list) option.argParser(appended);
  return option.makeOptionMandatory(required);
}

const appended = (text: string, all: readonly string[] = []): readonly string[] => [...all, text];

/** Words contain no commas, so a list of words can be one text. */
const appendedWords = (text: string, all: readonly string[] = []): readonly string[] => [
  ...all,
  ...text.split(",").map((word) => word.trim()),
];

/**
 * Moves operands that are further words of a list, as in `--restrictions print_low copy_content report.pdf`, to the
 * option of the list. A file with the name of a word needs a folder: `./print_low`.
 */
export function withWords<O extends Params>(
  { parameters }: OperationSchema,
  operands: readonly string[],
  options: O,
): { readonly operands: readonly string[]; readonly options: O } {
  const moved: Record<string, readonly string[]> = {};
  const rest = operands.filter((operand) => {
    const list = parameters.find(
      ({ name, list, schema }) => list && schema.enum?.includes(operand) && options[camelCased(name)] !== undefined,
    );
    if (list === undefined) return true;
    const name = camelCased(list.name);
    moved[name] = [...(moved[name] ?? (options[name] as readonly string[])), operand];
    return false;
  });
  return { operands: rest, options: { ...options, ...moved } };
}

const flagOf = (name: string): string => `--${name.replaceAll("_", "-")}`;

/** Returns a default for another option: the value with which this option has an effect. */
function impliedBy({ name, requiredIf, standsFor }: ParameterSchema, all: readonly ParameterSchema[]) {
  const { field, is = [] } =
    requiredIf ?? all.find((other) => other.name === standsFor && name !== standsFor)?.requiredIf ?? {};
  return field === undefined || is.length > 1 ? {} : { [camelCased(field)]: is[0] };
}

function optionOf(parameter: ParameterSchema): Option {
  const { name, description, required, schema, control, list, words: choices, example, default: fallback } = parameter;
  const { minimum, maximum, enum: words, examples } = schema;
  const flag = flagOf(name);
  const isSwitch = control === "switch";
  const notes = [
    ...(minimum === undefined ? [] : [`${minimum} to ${maximum}`]),
    ...(examples ? [`for example ${examples.map((example) => `"${example}"`).join(", ")}`] : []),
    ...(choices ? [`choices: ${choices.join(", ")}`] : []),
    ...(list ? [words ? "separated by commas or spaces; can be repeated" : "can be repeated"] : []),
    ...(control === "code"
      ? [parameter.secret ? "a file, or - for standard input" : "JSON, a file, or - for standard input"]
      : []),
    ...(fallback === undefined || isSwitch ? [] : [`default: ${fallback}`]),
  ];
  const about = `${description}${notes.length > 0 ? ` (${notes.join("; ")})` : ""}`;
  const option = new Option(isSwitch ? flag : `${flag} <${placeholderOf(parameter)}>`, about);
  if (control === "choice") option.choices([...words!]);
  if (minimum !== undefined) option.argParser((text) => numberIn(text, schema));
  if (list) option.argParser(words ? appendedWords : appended);
  if (control === "code") option.argParser((path) => path);
  return example === undefined
    ? option.makeOptionMandatory(required && control !== "password")
    : option.default(example);
}

function placeholderOf({ control, name, schema }: ParameterSchema): string {
  if (control === "code" || control === "file") return "file";
  if (control === "pages" || control === "listed-pages") return "pages";
  if (schema.type === "integer" || schema.type === "number") return "number";
  return name.split("_").at(-1)!;
}

function numberIn(text: string, { type, minimum, maximum }: ParameterSchema["schema"]): number {
  const isWhole = type === "integer";
  const number = (isWhole ? /^-?\d{1,9}$/ : /^-?\d{1,9}(\.\d{1,12})?$/).test(text) ? Number(text) : Number.NaN;
  if (number >= minimum! && number <= maximum!) return number;
  throw new InvalidArgumentError(`It must be a ${isWhole ? "whole " : ""}number from ${minimum} to ${maximum}.`);
}

/**
 * Converts parsed options to the parameters of a request. Options take precedence over files, and these over environment
 * variables.
 * @throws UsageError if a file cannot be read, or a required password is missing
 */
export async function paramsOf(
  { parameters, files }: OperationSchema,
  options: Params,
  environment: Readonly<Record<string, string | undefined>> = {},
): Promise<Params> {
  const params: Record<string, unknown> = {};
  for (const name of files.map((file) => camelCased(file.name))) {
    const value = options[name] as string | readonly string[] | undefined;
    if (value !== undefined) params[name] = typeof value === "string" ? fileAt(value) : value.map(fileAt);
  }
  for (const parameter of parameters) {
    const { name, control } = parameter;
    const given = name === "output" ? undefined : options[camelCased(name)];
    const value = given ?? (control === "password" ? await passwordOf(parameter, options, environment) : undefined);
    if (value === undefined) continue;
    if (control === "file") params[camelCased(name)] = await contentOf(String(value), parameter);
    else params[camelCased(name)] = control === "code" ? await jsonOf(parameter, value) : value;
  }
  return params;
}

async function passwordOf(parameter: ParameterSchema, options: Params, environment: NodeJS.ProcessEnv) {
  const { name, required } = parameter;
  const file = options[`${camelCased(name)}File`];
  const password =
    file === undefined ? environment[variableOf(name)] : (await readText(String(file), parameter)).split(/\r?\n/)[0];
  if (password || !required) return password || undefined;
  const [flag, variable] = [flagOf(name), variableOf(name)];
  throw new UsageError(`There is no value for ${flag}: use ${flag}-file or ${variable}, which other users cannot see.`);
}

/** Returns the JSON of an option, which is in a file. If it is no secret, it can also be the value itself. */
async function jsonOf(parameter: ParameterSchema, value: unknown): Promise<string> {
  const { name, secret } = parameter;
  const text = String(value);
  if (!/^\s*[[{]/.test(text)) return readText(text, parameter);
  if (secret) throw new UsageError(`${flagOf(name)} is the path of a file, or - for standard input.`);
  return text;
}

const fileAt = (text: string) => (ID.test(text) ? { id: text } : text);

/** Returns the text of a file, such as a certificate; base64 of a file that is not UTF-8. */
async function contentOf(path: string, parameter: ParameterSchema): Promise<string> {
  const bytes = await readBytes(path, parameter);
  const text = bytes.toString("utf8");
  return Buffer.from(text, "utf8").equals(bytes) ? text : bytes.toString("base64");
}

const readText = async (path: string, parameter: ParameterSchema): Promise<string> =>
  (await readBytes(path, parameter)).toString("utf8");

/** Does not repeat the path for a secret in the error, because it can be the secret itself by mistake. */
async function readBytes(path: string, { name, secret }: ParameterSchema): Promise<Buffer> {
  try {
    return await readFile(path === "-" ? "/dev/stdin" : path);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (secret) throw new UsageError(`The file of ${flagOf(name)} cannot be read: ${code}`);
    throw new UsageError(`${path} cannot be read: ${message}`);
  }
}
