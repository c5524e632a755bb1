/** That a page has more than can be followed operation by operation. */
export class TooMuch extends Error {
  override readonly name = "TooMuch";
}
