// Declares the npm package `linebreak`, which has no types.
declare module "linebreak" {
  export default class LineBreaker {
    constructor(text: string);
    /** Returns the next place at which a line can break; null after the end of the text. */
    nextBreak(): { readonly position: number; readonly required: boolean } | null;
  }
}
