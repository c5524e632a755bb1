// Handles the arguments of commands that are configured only by environment variables: prints the usage for `--help`,
// and rejects any other argument.

const STATUS_OF_MISUSE = 2;

/** Prints the usage and ends the process, unless there are no arguments. */
export function takeNoArguments(usage: string): void {
  const [first] = process.argv.slice(2);
  if (first === undefined) return;
  if (first === "--help" || first === "-h") {
    console.log(usage);
    process.exit(0);
  }
  console.error(`Unknown argument ${first}.\n\n${usage}`);
  process.exit(STATUS_OF_MISUSE);
}
