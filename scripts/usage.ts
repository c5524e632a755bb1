// Prints the usage for `--help`, and rejects arguments of commands that are configured by environment variables only.

const STATUS_OF_MISUSE = 2;

/** Ends the process with the usage, unless there are no arguments. */
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
