// Writes a request as a command of the command line client, for a POSIX shell.
import type { CallInput, OperationCall, Option } from "./call.ts";
import { quoted } from "./curl.ts";

/** Name of the file that holds a value which the command reads from a file. */
const fileOf = ({ name }: Option): string => `${name}.json`;

/** Writes the last request. The command converts documents by itself. */
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
    // The shell puts the key in.
    ...(keyed ? ['--api-key "$API_KEY"'] : []),
  ];
  return [
    ...written.map((option) => `printf '%s' ${quoted(option.value)} > ${fileOf(option)}`),
    `${content === undefined ? "" : `printf '%s' ${quoted(content)} | `}${words.join(" \\\n  ")}`,
  ].join("\n");
}

function operand({ kind, value, pages = "all" }: CallInput): string {
  // A name that begins with a dash would be an option, and the port of an address that ends there a page.
  const name = value.startsWith("-") ? `./${value}` : kind === "url" ? value.replace(/:\d+$/, "$&/") : value;
  // The service takes spaces and capitals in a selection, the command does not.
  const selection = pages.replace(/\s/g, "").toLowerCase();
  return quoted(selection === "all" ? name : `${name}:${selection}`);
}

function flag(option: Option): string {
  const name = `--${option.name.replace(/\[\]$/, "").replaceAll("_", "-")}`;
  if (option.control === "switch") return name;
  return `${name} ${quoted(option.control === "code" ? fileOf(option) : option.value)}`;
}
