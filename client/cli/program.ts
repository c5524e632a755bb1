// The command line: one command per operation. Options and help follow from the declarations of the endpoints.
import { Argument, Command, CommanderError, InvalidArgumentError, Option } from "commander";
import type { Params } from "../core/pagewright.ts";
import { OPERATION_SCHEMAS } from "../generated/operation-schemas.ts";
import { Pagewright } from "../node.ts";
import { VERSION } from "../version.ts";
import { type BatchOptions, type CliContext, runBatch } from "./batch.ts";
import { addFileCommands } from "./file-commands.ts";
import { readOperands } from "./operands.ts";
import type { OperationSchema } from "./operation-types.ts";
import { optionsOf, paramsOf } from "./parameters.ts";
import { readSettings, type ServiceOptions } from "./settings.ts";
import { withoutPdfs } from "./skipping.ts";
import { type TargetOptions, targetsOf } from "./targets.ts";
import { completionFor, SHELLS } from "./terminal/completion.ts";
import { UsageError } from "./usage-error.ts";

/** Exit codes of the program. */
const EXIT = { ok: 0, failed: 1, usage: 2, interrupted: 130 } as const;

type Options = ServiceOptions & TargetOptions & Partial<BatchOptions> & Params;

const EXTENSIONS: Readonly<Record<string, string>> = {
  "application/json": ".json",
  "application/pdf": ".pdf",
  "application/zip": ".zip",
  "image/bmp": ".bmp",
  "image/gif": ".gif",
  "image/jpeg": ".jpg",
  "image/png": ".png",
  "image/tiff": ".tif",
  "text/html": ".html",
};

const HELP = `
Files are paths, folders, patterns, addresses (http: or https:), ids of stored files, or - for standard input. A
page selection may follow a colon: report.pdf:1-3,last. An operation on PDFs converts other documents first.

Exit codes: 0 everything was done; 1 at least one document failed; 2 the command is wrong; 130 interrupted.

The address of the service is --url, else PAGEWRIGHT_URL, else "url" of the configuration file, else
http://localhost:8787. The key is --api-key, else PAGEWRIGHT_API_KEY, else "apiKey" of that file, which is
~/.config/pagewright/config.json unless --config names another.`;

/**
 * Runs a command.
 * @param args without the name of the program
 * @returns the exit code
 */
export async function run(args: readonly string[], around: CliContext): Promise<number> {
  const outcome = { code: EXIT.ok as number };
  const program = createProgram(around, outcome);
  try {
    await program.parseAsync(args, { from: "user" });
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.ok : EXIT.usage;
    if (around.signal.aborted) return EXIT.interrupted;
    around.stderr.write(`pagewright: ${(error as Error).message}\n`);
    return error instanceof UsageError ? EXIT.usage : EXIT.failed;
  }
  return around.signal.aborted ? EXIT.interrupted : outcome.code;
}

function createProgram(around: CliContext, outcome: { code: number }): Command {
  const program = new Command("pagewright")
    .description("Converts and processes documents with a Pagewright service.")
    .version(VERSION)
    .addHelpText("after", HELP)
    .exitOverride()
    .configureOutput({
      writeOut: (text) => around.stdout.write(text),
      writeErr: (text) => around.stderr.write(text),
    })
    .showHelpAfterError("(--help shows the options)");
  for (const operation of OPERATION_SCHEMAS) addOperation(program, operation, around, outcome);
  program
    .command("convert", { hidden: true })
    .argument("[files...]")
    .allowUnknownOption()
    .action((words: readonly string[]) => {
      const file = words.find((word) => /^[^-].*\.\w+$/.test(word)) ?? "report.docx";
      const formats = OPERATION_SCHEMAS.map(({ name }) => name).join(", ");
      throw new UsageError(`Name what to make, as in "pagewright pdf ${file}". There are ${formats}.`);
    });
  addFileCommands(program, around, connect, (failed) => {
    if (failed > 0) outcome.code = EXIT.failed;
  });
  program
    .command("mcp")
    .description("Serves the operations to agents over standard input and output (Model Context Protocol).")
    .addOption(new Option("--root <folder>", "folder whose files agents may read and add to").default("."))
    .action(async (options: { readonly root: string }, command: Command) => {
      const { serveOverStdio } = await import("../mcp/stdio.ts");
      const settings = await readSettings(command.opts<Options>(), around.env);
      await serveOverStdio(new Pagewright(settings), { ...around, ...settings, root: options.root });
    });
  program
    .command("completion")
    .description("Prints a script that completes commands and options in a shell.")
    .addArgument(new Argument("<shell>").choices(SHELLS))
    .action((shell) => {
      around.stdout.write(completionFor(shell, program));
    });
  for (const command of program.commands) addServiceOptions(command);
  return program;
}

const addServiceOptions = (command: Command) =>
  command
    .addOption(new Option("--url <address>", "address of the service"))
    .addOption(new Option("--api-key <key>", "key of the service"))
    .addOption(new Option("--config <file>", "configuration file"));

function addOperation(program: Command, operation: OperationSchema, around: CliContext, outcome: { code: number }) {
  const { name, path, summary, input, variants } = operation;
  const command = program
    .command(commandName(name))
    .description(`${summary}${variants.includes("private") ? "" : " Only in the keyed variant."}`);
  if (input.kind !== "none") {
    command.argument("<files...>", input.kind === "text" ? "a file with the text" : input.description);
  }
  if (path.slice(1) !== name) command.alias(path.slice(1));
  for (const option of optionsOf(operation)) command.addOption(option);
  command
    .addOption(new Option("-o, --out <file>", outHelpOf(operation)))
    .addOption(new Option("-d, --dir <folder>", "folder of the outputs"))
    .addOption(
      new Option("-j, --jobs <number>", "how many documents are worked on at a time").default(4).argParser(jobsIn),
    )
    .addOption(new Option("--json", "print a JSON object for each document"))
    .addOption(new Option("-q, --quiet", "print errors only"))
    .action(async () => {
      const files = command.args;
      const options = command.opts<Options & BatchOptions>();
      outcome.code = (await operate(operation, files, options, around)) > 0 ? EXIT.failed : EXIT.ok;
    });
}

/** `setPageBoxes` becomes `set-page-boxes`. */
const commandName = (name: string): string => name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

const outHelpOf = ({ output }: OperationSchema) =>
  `path of the output; - for standard output${output.archives ? "; an archive of several outputs if it ends in .zip" : ""}`;

function jobsIn(text: string): number {
  if (/^[1-9]\d{0,2}$/.test(text)) return Number(text);
  throw new InvalidArgumentError("It must be a whole number from 1 to 999.");
}

/** @returns the number of failed documents */
async function operate(
  operation: OperationSchema,
  files: readonly string[],
  options: Options & BatchOptions,
  around: CliContext,
): Promise<number> {
  const given = await readOperands(files);
  const operands = operation.name === "pdf" ? await withoutPdfs(given, options.quiet === true, around) : given;
  const { kind } = operation.input;
  if (operands.length === 0 && kind !== "none") return 0;
  const jobs = kind === "several" || kind === "none" ? [operands] : operands.map((operand) => [operand]);
  const targets = targetsOf(operation, jobs, options, EXTENSIONS[operation.output.type] ?? "");
  if (targets[0]?.path === "-" && around.stdout.isTTY && !operation.output.isData) {
    throw new UsageError("Documents are not written to a terminal: use --out or a pipe.");
  }
  const params = await paramsOf(operation, options);
  const works = jobs.map((each, index) => ({ operation, params, operands: each, target: targets[index]! }));
  return runBatch(await connect(options, around), works, options, around);
}

async function connect(options: ServiceOptions, { env }: CliContext) {
  return new Pagewright(await readSettings(options, env));
}
