// Error for wrong arguments. The program exits with code 2.

export class UsageError extends Error {
  override readonly name = "UsageError";
}
