// Defines the error of a command that is not used as it should be. It ends the program with 2.

export class UsageError extends Error {
  override readonly name = "UsageError";
}
