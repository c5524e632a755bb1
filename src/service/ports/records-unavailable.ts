// The error of stores that cannot answer. src/service/http/contract/errors.ts maps it to a response.

/** The database of keys, limits, claims or jobs cannot answer now. A call that failed so might have had its effect. */
export class RecordsUnavailable extends Error {
  override readonly name = "RecordsUnavailable";
}
