// Draws what a signature shows on the page: a logo, and texts over it.
import type { Context, Input } from "../contract/operation.ts";
import { serializeNumber } from "../objects/serialize.ts";
import { Dictionary, Name, PdfStream, plainBody, type Reference } from "../objects/values.ts";
import { addImageForm } from "../pages/image-form.ts";
import type { OpenPdf } from "../pages/open-pdf.ts";
import { opacityState } from "../pages/overlay/overlay.ts";
import { DEFAULT_FONT, fontNamed, inkOf } from "../typesetting/look.ts";
import { type SetText, type TextForm, Typesetter } from "../typesetting/typesetter.ts";
import type { ShownWidget } from "./signature-field.ts";

export interface Look {
  /** @default no text */
  readonly text?: string | undefined;
  /** An image file. @default no logo */
  readonly logo?: Input | undefined;
  readonly logoOpacity: number;
}

/** Font sizes in points, from the one that looks best to the smallest that is legible. */
const SIZES = [12, 11, 10, 9, 8, 7, 6, 5, 4, 3];
/** Distance of the text from the edges, in points. */
const MARGIN = 2;

/**
 * Draws the appearances of all widgets of a signature.
 * @throws EngineFailure `unreadable-image` for the logo
 */
export async function drawAppearances(
  pdf: OpenPdf,
  widgets: readonly ShownWidget[],
  { text, logo, logoOpacity }: Look,
  { typefaces, signal }: Pick<Context, "typefaces" | "signal">,
): Promise<void> {
  const image = logo && (await addImageForm(pdf, logo, signal));
  const state = image && logoOpacity < 1 ? opacityState(pdf.file, logoOpacity) : undefined;
  const typesetter = text === undefined ? undefined : await Typesetter.open(pdf, typefaces, [text]);
  for (const { dictionary, width, height, space } of widgets) {
    const content: string[] = [];
    const forms: Record<string, Reference> = {};
    const draw = (name: string, form: Reference, matrix: readonly number[], set = "") => {
      forms[name] = form;
      content.push(`q ${set}${matrix.map(serializeNumber).join(" ")} cm /${name} Do Q\n`);
    };
    if (image) {
      const { box, reference } = image;
      const scale = Math.min(width / box.width, height / box.height);
      const [left, bottom] = [(width - scale * box.width) / 2, (height - scale * box.height) / 2];
      draw("Logo", reference, [scale, 0, 0, scale, left, bottom], state ? "/State gs " : "");
    }
    const set = typesetter && (await largestText(typesetter, text!, { width, height }, signal));
    if (set) draw("Text", set.reference, [1, 0, 0, 1, MARGIN, height - MARGIN - set.block.ascent]);
    const resources = Dictionary.of({
      XObject: Dictionary.of(forms),
      ExtGState: state && Dictionary.of({ State: state }),
    });
    const [a, b, c, d] = space;
    const entries = Dictionary.of({
      ...{ Type: Name.of("XObject"), Subtype: Name.of("Form"), BBox: [0, 0, width, height], Resources: resources },
      Matrix: [a, b, c, d, 0, 0],
    });
    const form = pdf.file.add(new PdfStream(entries, plainBody(Buffer.from(content.join(""), "latin1"))));
    dictionary.set("AP", Dictionary.of({ N: form }));
  }
  pdf.notices.push(...(typesetter?.finish() ?? []));
}

/** Sets a text in the largest size in which it fits; in the smallest, if it fits in none. */
async function largestText(
  typesetter: Typesetter,
  text: string,
  { width, height }: Pick<ShownWidget, "width" | "height">,
  signal: AbortSignal,
): Promise<TextForm> {
  const look = { ...fontNamed(DEFAULT_FONT, ""), ...inkOf({}), text, opacity: 1 };
  let smallest: SetText | undefined;
  for (const size of SIZES) {
    smallest = { ...look, size, maxWidth: Math.max(1, width - 2 * MARGIN) };
    const { ascent, descent } = await typesetter.layOut(smallest, signal);
    if (ascent + descent <= height - 2 * MARGIN) break;
  }
  return typesetter.add(smallest!, signal);
}
