// Declares the operation that recognizes the text of scanned pages and pictures. The container runs it, because it has
// Tesseract. Yields one output.
import { declareOperation } from "../document/contract/operation.ts";
import { optional, type Params, parameter } from "../document/contract/parameter.ts";
import { pages } from "../document/contract/parameters/pages.ts";
import { words } from "../document/contract/parameters/text.ts";

/** The languages of recognition. Each needs a package of data (container/install-engines.sh). */
const LANGUAGES = [
  ...(["ChineseSimplified", "ChineseTraditional", "Dutch", "English", "French", "German", "Italian"] as const),
  ...(["Japanese", "Korean", "Portuguese", "Spanish"] as const),
] as const;
export type RecognitionLanguage = (typeof LANGUAGES)[number];

const parameters = {
  languages: parameter(
    "The languages of the text, separated by commas. Fewer languages are faster and more accurate.",
    words(LANGUAGES),
    "English",
  ),
  pages: optional("The pages to read; all if left out. On pages with text, only pictures are read.", pages),
};
export type RecognizeTextParams = Params<typeof parameters>;

export const recognizeText = declareOperation({ name: "recognize-text", parameters });
