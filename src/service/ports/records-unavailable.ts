// The error of stores that cannot answer. src/service/http/contract/errors.ts maps it to a response.

interface UnavailableOptions extends ErrorOptions {
  /** True if the database has received nothing of the call. @default false: the call might have had its effect */
  readonly isUnsent?: boolean;
}

/** The database of keys, limits, usage, claims or jobs cannot answer now. */
export class RecordsUnavailable extends Error {
  override readonly name = "RecordsUnavailable";
  readonly isUnsent: boolean;

  constructor(message: string, { isUnsent = false, ...options }: UnavailableOptions = {}) {
    super(message, options);
    this.isUnsent = isUnsent;
  }
}
