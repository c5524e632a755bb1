// The error of stores that cannot answer. src/service/http/contract/errors.ts maps it to a response.

interface UnavailableOptions extends ErrorOptions {
  /** True if the call certainly had no effect. @default false: the result of the call was lost */
  readonly hadNoEffect?: boolean;
}

/** The database of keys, limits, usage, claims or jobs cannot answer now. */
export class RecordsUnavailable extends Error {
  override readonly name = "RecordsUnavailable";
  readonly hadNoEffect: boolean;

  constructor(message: string, { hadNoEffect = false, ...options }: UnavailableOptions = {}) {
    super(message, options);
    this.hadNoEffect = hadNoEffect;
  }
}
