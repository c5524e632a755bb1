// Writes out initial colors that follow from a color space: black is the first color of DeviceCMYK, but white is that
// of the profiled CMYK space that may replace it (ISO 32000-1, 8.6.8 and 11.6.5.3).
import type { ContentOperation } from "../../content/content.ts";
import type { PdfFile } from "../../objects/pdf-file.ts";
import { Dictionary, Name, type Value } from "../../objects/values.ts";
import type { ContentStream } from "../content/content-stream.ts";
import type { PdfaDocument } from "../pdfa-document.ts";

/** The first color of DeviceCMYK. */
const BLACK = [0, 0, 0, 1];
/** The darkest color of a profiled space, in which black alone is a gray. */
const DARKEST = [1, 1, 1, 1];
/** Operators that choose a color space, and those that set a color in it. */
const SETTERS = new Map([
  ["cs", ["sc", "scn"]],
  ["CS", ["SC", "SCN"]],
]);

/** Follows the color spaces of one content stream. */
export class InitialColors {
  readonly #file: PdfFile;
  readonly #stream: ContentStream;
  /** Operators that set a color, if the last operation chose DeviceCMYK. */
  #awaited: readonly string[] = [];

  constructor(file: PdfFile, stream: ContentStream) {
    this.#file = file;
    this.#stream = stream;
  }

  /** @returns an operation to insert before the given one; empty for none */
  before({ operator, operands }: ContentOperation): string {
    const [setter] = this.#awaited;
    const isSet = this.#awaited.includes(operator);
    const next = SETTERS.get(operator);
    this.#awaited = next && this.#isDeviceCmyk(operands.at(-1)) ? next : [];
    return setter === undefined || isSet ? "" : `${BLACK.join(" ")} ${setter}`;
  }

  #isDeviceCmyk(operand: Value | undefined): boolean {
    if (!(operand instanceof Name)) return false;
    const { resources, inherited } = this.#stream;
    const named = [resources, inherited].map((one) => this.#file.dictionary(one?.get("ColorSpace")));
    if (operand.text === "DeviceCMYK") return !named[0]?.has("DefaultCMYK");
    return isDeviceCmyk(this.#file, named[0]?.get(operand.text) ?? named[1]?.get(operand.text));
  }
}

const isDeviceCmyk = (file: PdfFile, value: Value | undefined): boolean =>
  file.name(file.array(value)?.length === 1 ? file.array(value)![0] : value) === "DeviceCMYK";

/** Writes out the backdrops of luminosity masks, which are black by default in the color space of their group. */
export function writeBackdrops({ file, places }: PdfaDocument): void {
  for (const { dictionary } of places) {
    if (file.name(dictionary.get("S")) !== "Luminosity" || dictionary.has("BC")) continue;
    const group = file.dictionary(file.dictionary(dictionary.get("G"))?.get("Group"));
    if (group instanceof Dictionary && isDeviceCmyk(file, group.get("CS"))) dictionary.set("BC", DARKEST);
  }
}
