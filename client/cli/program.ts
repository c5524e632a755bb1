// The command line, with one command per operation. Options and help are derived from the declarations of the
// endpoints.
import { Argument, Command, CommanderError, InvalidArgumentError, Option } from "commander";
import type { Params } from "../core/pagewright.ts";
import { OPERATION_SCHEMAS } from "../generated/operation-schemas.ts";
import { Pagewright } from "../node.ts";
import { VERSION } from "../version.ts";
import { type BatchOptions, type CliContext, runBatch } from "./batch.ts";
import { addFileCommands } from "./file-commands.ts";
import { readOperands } from "./operands.ts";
import type { OperationSchema } from "./operation-types.ts";
import { optionsOf, paramsOf, withWords } from "./parameters.ts";
import { operationFor } from "./run-steps.ts";
import { readSettings, type ServiceOptions } from "./settings.ts";
import { withoutPdfs } from "./skipping.ts";
import { type TargetOptions, targetsOf } from "./targets.ts";
import { completionFor, SHELLS } from "./terminal/completion.ts";
import { UsageError } from "./usage-error.ts";

/** Exit codes of the program. */
const EXIT = { ok: 0, failed: 1, usage: 2, interrupted: 130 } as const;

/** The exit code of a command. */
interface Outcome {
  code: number;
}

type Options = ServiceOptions & TargetOptions & Partial<BatchOptions> & Params;

const EXTENSIONS: Readonly<Record<string, string>> = {
  "application/json": ".json",
  "application/pdf": ".pdf",
  "application/postscript": ".ps",
  "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": ".xlsx",
  "application/vnd.openxmlformats-officedocument.wordprocessingml.document": ".docx",
  "application/zip": ".zip",
  "image/avif": ".avif",
  "image/bmp": ".bmp",
  "image/gif": ".gif",
  "image/jpeg": ".jpg",
  "image/png": ".png",
  "image/tiff": ".tif",
  "image/webp": ".webp",
  "text/html": ".html",
};

const HELP = `
Files are paths, folders, patterns, URLs (http: or https:), IDs of stored files, or - for standard input. A page
selection can follow after a colon: report.pdf:1-3,last. An operation on PDFs first converts other documents to PDF.

Exit codes: 0 all documents succeeded; 1 at least one document failed; 2 the command is wrong; 130 interrupted.

The URL of the service is --url, or else PAGEWRIGHT_URL, or else "url" in the configuration file; the default is
http://localhost:8787. The API key is --api-key, or else PAGEWRIGHT_API_KEY, or else "apiKey" in the configuration
file. The configuration file is ~/.config/pagewright/config.json, unless --config names another file.`;

/**
 * Runs a command.
 * @param args without the name of the program
 * @returns the exit code
 */
export async function run(args: readonly string[], context: CliContext): Promise<number> {
  const outcome: Outcome = { code: EXIT.ok };
  const program = createProgram(context, outcome);
  try {
    await program.parseAsync(args, { from: "user" });
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.ok : EXIT.usage;
    if (context.signal.aborted) return EXIT.interrupted;
    context.stderr.write(`pagewright: ${(error as Error).message}\n`);
    return error instanceof UsageError ? EXIT.usage : EXIT.failed;
  }
  return context.signal.aborted ? EXIT.interrupted : outcome.code;
}

function createProgram(context: CliContext, outcome: Outcome): Command {
  const program = new Command("pagewright")
    .description("Converts and processes documents with a Pagewright service.")
    .version(VERSION)
    .addHelpText("after", HELP)
    .exitOverride()
    .configureOutput({
      writeOut: (text) => context.stdout.write(text),
      writeErr: (text) => context.stderr.write(text),
    })
    .showHelpAfterError("(--help shows the options)");
  for (const operation of OPERATION_SCHEMAS) addOperation(program, operation, context, outcome);
  addRun(program, context, outcome);
  program
    .command("convert", { hidden: true })
    .argument("[files...]")
    .allowUnknownOption()
    .action((words: readonly string[]) => {
      const file = words.find((word) => /^[^-].*\.\w+$/.test(word)) ?? "report.docx";
      const formats = OPERATION_SCHEMAS.map(({ name }) => name).join(", ");
      throw new UsageError(`Name what to make, as in "pagewright pdf ${file}". There are ${formats}.`);
    });
  addFileCommands(program, context, connect, (failed) => {
    if (failed > 0) outcome.code = EXIT.failed;
  });
  program
    .command("mcp")
    .description("Runs an MCP server over standard input and output, with the operations as tools for agents.")
    .addOption(new Option("--root <folder>", "folder in which agents can read and create files").default("."))
    .action(async (options: { readonly root: string }, command: Command) => {
      const { serveOverStdio } = await import("../mcp/stdio.ts");
      const settings = await readSettings(command.opts<Options>(), context.env);
      await serveOverStdio(new Pagewright(settings), { ...context, ...settings, root: options.root });
    });
  program
    .command("completion")
    .description("Prints a script that completes commands and options in a shell.")
    .addArgument(new Argument("<shell>").choices(SHELLS))
    .action((shell) => {
      context.stdout.write(completionFor(shell, program));
    });
  for (const command of program.commands) addServiceOptions(command);
  return program;
}

const addServiceOptions = (command: Command) =>
  command
    .addOption(new Option("--url <url>", "URL of the service"))
    .addOption(new Option("--api-key <key>", "API key for the service"))
    .addOption(new Option("--config <file>", "path of the configuration file"));

function addOperation(program: Command, operation: OperationSchema, context: CliContext, outcome: Outcome) {
  const { name, path, summary, input, variants } = operation;
  const command = program
    .command(commandName(name))
    .description(`${summary}${variants.includes("private") ? "" : " Only in the keyed variant."}`);
  if (input.kind !== "none") {
    command.argument("<files...>", input.kind === "text" ? "file that contains the text" : input.description);
  }
  if (path.slice(1) !== name) command.alias(path.slice(1));
  for (const option of optionsOf(operation)) command.addOption(option);
  addOutputOptions(command, operation).action(async () => {
    const { operands, options } = withWords(operation, command.args, command.opts<Options & BatchOptions>());
    if (operands.length === 0 && input.kind !== "none") throw new UsageError("Name a file.");
    outcome.code = (await operate(operation, operands, options, context)) > 0 ? EXIT.failed : EXIT.ok;
  });
}

/** Adds the command for steps in a file: `pagewright run steps.json report.docx`. */
function addRun(program: Command, context: CliContext, outcome: Outcome) {
  const operation = OPERATION_SCHEMAS.find(({ name }) => name === "steps")!;
  const command = program
    .command("run")
    .description("Runs the steps in a file on documents.")
    .argument("<steps>", "JSON file with the list of steps, or - for standard input")
    .argument("<files...>", operation.input.description);
  for (const option of optionsOf({ ...operation, parameters: [] })) command.addOption(option);
  addOutputOptions(command, operation).action(async (steps: string, files: readonly string[]) => {
    const options = { ...command.opts<Options & BatchOptions>(), steps };
    outcome.code = (await operate(operation, files, options, context)) > 0 ? EXIT.failed : EXIT.ok;
  });
}

const addOutputOptions = (command: Command, operation: OperationSchema): Command =>
  command
    .addOption(new Option("-o, --out <file>", outHelpOf(operation)))
    .addOption(new Option("-d, --dir <folder>", "folder for the outputs"))
    .addOption(
      new Option("-j, --jobs <number>", "maximum number of documents processed concurrently")
        .default(4)
        .argParser(jobsIn),
    )
    .addOption(new Option("--json", "print a JSON object for each document"))
    .addOption(new Option("-q, --quiet", "print errors only"));

/** Converts the name of an operation: `setPageBoxes` becomes `set-page-boxes`. */
const commandName = (name: string): string => name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

const outHelpOf = ({ output }: OperationSchema) =>
  `path of the output, or - for standard output${output.archives ? "; if it ends with .zip, an archive of all outputs" : ""}`;

function jobsIn(text: string): number {
  if (/^[1-9]\d{0,2}$/.test(text)) return Number(text);
  throw new InvalidArgumentError("It must be a whole number from 1 to 999.");
}

/** @returns the number of failed documents */
async function operate(
  declared: OperationSchema,
  files: readonly string[],
  options: Options & BatchOptions,
  context: CliContext,
): Promise<number> {
  const given = await readOperands(files);
  const operands = declared.name === "pdf" ? await withoutPdfs(given, options.quiet === true, context) : given;
  const readers = Object.entries(options).filter(([name, value]) => value === "-" && name !== "out");
  if (readers.length + given.filter(({ kind }) => kind === "stdin").length > 1) {
    throw new UsageError("Only one operand or option can be -.");
  }
  const params = await paramsOf(declared, options, context.env);
  const operation = declared.name === "steps" ? operationFor(declared, String(params.steps)) : declared;
  const { kind } = operation.input;
  if (operands.length === 0 && kind !== "none") return 0;
  const jobs = kind === "several" || kind === "none" ? [operands] : operands.map((operand) => [operand]);
  const targets = targetsOf(operation, jobs, options, EXTENSIONS[operation.output.type] ?? "");
  if (targets[0]?.path === "-" && context.stdout.isTTY && !operation.output.isData) {
    throw new UsageError("Documents are not written to a terminal: use --out or a pipe.");
  }
  const works = jobs.map((each, index) => ({ operation, params, operands: each, target: targets[index]! }));
  return runBatch(await connect(options, context), works, options, context);
}

async function connect(options: ServiceOptions, { env }: CliContext) {
  return new Pagewright(await readSettings(options, env));
}
