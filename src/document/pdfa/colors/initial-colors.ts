// Writes initial colors explicitly: the initial color of DeviceCMYK is black, but the initial color of its ICC-based
// replacement is white (ISO 32000-1, 8.6.8 and 11.6.5.3).
import type { ContentOperation } from "../../content/content.ts";
import type { PdfFile } from "../../objects/pdf-file.ts";
import { Dictionary, Name, type Value } from "../../objects/values.ts";
import type { ContentStream } from "../content/content-stream.ts";
import type { PdfaDocument } from "../pdfa-document.ts";

/** The initial color of DeviceCMYK. */
const BLACK = [0, 0, 0, 1];
/** The darkest color of an ICC-based CMYK space, in which black ink alone is dark gray. */
const DARKEST = [1, 1, 1, 1];
/** Operators that select a color space, and operators that set a color in it. */
const SETTERS = new Map([
  ["cs", ["sc", "scn"]],
  ["CS", ["SC", "SCN"]],
]);

/** Tracks the color spaces of one content stream. */
export class InitialColors {
  readonly #file: PdfFile;
  readonly #stream: ContentStream;
  /** Operators that set a color, if the last operation selected DeviceCMYK; otherwise empty. */
  #awaited: readonly string[] = [];

  constructor(file: PdfFile, stream: ContentStream) {
    this.#file = file;
    this.#stream = stream;
  }

  /** @returns an operation to insert before the given one; empty if none is needed */
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

/**
 * Writes the backdrops of luminosity masks explicitly: the default is black in the color space of the group, which is
 * about to change.
 */
export function writeBackdrops({ file, places }: PdfaDocument): void {
  for (const { dictionary } of places) {
    if (file.name(dictionary.get("S")) !== "Luminosity" || dictionary.has("BC")) continue;
    const group = file.dictionary(file.dictionary(dictionary.get("G"))?.get("Group"));
    if (group instanceof Dictionary && isDeviceCmyk(file, group.get("CS"))) dictionary.set("BC", DARKEST);
  }
}
