/** Thrown if a page is too complex to process operation by operation. */
export class TooMuch extends Error {
  override readonly name = "TooMuch";
}
