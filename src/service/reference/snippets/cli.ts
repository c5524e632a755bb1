// Generates a command of the command line client, for a POSIX shell.
import type { CallInput, OperationCall, Option } from "./call.ts";
import { quoted } from "./curl.ts";

/** Name of the file from which the command reads a JSON value. */
const fileOf = ({ name }: Option): string => `${name}.json`;

/** Uses only the last request: the command line client itself converts other documents first. */
export function cli(calls: readonly OperationCall[]): string {
  const { keyed, saveAs, command } = calls.at(-1)!;
  const { baseUrl, name, inputs, content, options, isBatch } = command;
  const written = options.filter(({ control }) => control === "code");
  const words = [
    `pagewright ${name}`,
    ...(content === undefined ? inputs.map(operand) : ["-"]),
    // Data are printed.
    ...(saveAs === undefined ? [] : [isBatch ? "-d ." : `-o ${quoted(saveAs)}`]),
    ...options.map(flag),
    `--url ${quoted(baseUrl)}`,
    // The shell substitutes the key.
    ...(keyed ? ['--api-key "$API_KEY"'] : []),
  ];
  return [
    ...written.map((option) => `printf '%s' ${quoted(option.value)} > ${fileOf(option)}`),
    `${content === undefined ? "" : `printf '%s' ${quoted(content)} | `}${words.join(" \\\n  ")}`,
  ].join("\n");
}

function operand({ kind, value, pages = "all" }: CallInput): string {
  // A name with a leading dash would be parsed as an option; a trailing port of a URL, as a page selection.
  const name = value.startsWith("-") ? `./${value}` : kind === "url" ? value.replace(/:\d+$/, "$&/") : value;
  // The service accepts spaces and capitals in a selection; the command line client accepts neither.
  const selection = pages.replace(/\s/g, "").toLowerCase();
  return quoted(selection === "all" ? name : `${name}:${selection}`);
}

function flag(option: Option): string {
  const name = `--${option.name.replace(/\[\]$/, "").replaceAll("_", "-")}`;
  if (option.control === "switch") return name;
  return `${name} ${quoted(option.control === "code" ? fileOf(option) : option.value)}`;
}
