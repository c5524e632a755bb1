// Generates a command of the command line client, for a POSIX shell.
import type { CallInput, OperationCall, Option } from "./call.ts";
import { quoted } from "./curl.ts";

/** Returns the name of the file from which the command reads a JSON value. */
const fileOf = ({ name }: Option): string => `${name}.json`;

/** Uses only the last of several requests, because the command line client itself converts documents to PDF first. */
export function cli(calls: readonly OperationCall[]): string {
  const { keyed, saveAs, command } = calls.at(-1)!;
  const { baseUrl, name, inputs, content, options, isBatch } = command;
  const written = options.filter(({ control, variable }) => control === "code" && variable === undefined);
  // JSON that contains a secret is neither in an argument nor in a file.
  const piped = options.find(({ control, variable }) => control === "code" && variable !== undefined)?.variable;
  const text = content === undefined ? undefined : quoted(content);
  const input = piped === undefined ? text : `"$${piped}"`;
  const words = [
    // Other users of the machine can see the arguments of a program, but not its environment.
    ...options.flatMap(({ variable }) =>
      variable === undefined || variable === piped ? [] : [`PAGEWRIGHT_${variable}="$${variable}"`],
    ),
    `pagewright ${name}`,
    ...(content === undefined ? inputs.map(operand) : ["-"]),
    // Without an output option, the command prints data.
    ...(saveAs === undefined ? [] : [isBatch ? "-d ." : `-o ${quoted(saveAs)}`]),
    ...options.filter(({ variable }) => variable === undefined || variable === piped).map(flag),
    `--url ${quoted(baseUrl)}`,
    // The shell substitutes the key.
    ...(keyed ? ['--api-key "$API_KEY"'] : []),
  ];
  return [
    ...written.map((option) => `printf '%s' ${quoted(option.value)} > ${fileOf(option)}`),
    `${input === undefined ? "" : `printf '%s' ${input} | `}${words.join(" \\\n  ")}`,
  ].join("\n");
}

function operand({ kind, value, pages = "all" }: CallInput): string {
  // The client would parse a name with a leading dash as an option, and the port at the end of a URL as a page
  // selection.
  const name = value.startsWith("-") ? `./${value}` : kind === "url" ? value.replace(/:\d+$/, "$&/") : value;
  // The client accepts no spaces or capitals in a page selection, but the service does.
  const selection = pages.replace(/\s/g, "").toLowerCase();
  return quoted(selection === "all" ? name : `${name}:${selection}`);
}

function flag(option: Option): string {
  const name = `--${option.name.replace(/\[\]$/, "").replaceAll("_", "-")}`;
  if (option.control === "switch") return name;
  if (option.variable !== undefined) return `${name} -`;
  return `${name} ${quoted(option.control === "code" ? fileOf(option) : option.value)}`;
}
