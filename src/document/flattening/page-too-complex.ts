/** Thrown if a page is too complex to flatten operation by operation. */
export class PageTooComplex extends Error {
  override readonly name = "PageTooComplex";
}
