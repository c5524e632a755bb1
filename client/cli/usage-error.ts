// The error for wrong arguments, after which the program exits with code 2.

export class UsageError extends Error {
  override readonly name = "UsageError";
}
