// Reads the look of a text from the parameters that operations share: the font by its name, and the color.
import { OutOfRange } from "../contract/failure.ts";
import { requestedFont } from "./requested-font.ts";
import type { SetText } from "./typesetter.ts";

/** An installed font, with the widths of Arial. A default that another font replaced would need a notice. */
export const DEFAULT_FONT = "Liberation Sans";
const NOT_FOUND = "The requested font was not found.";

/** @param parameter name of the parameter in the error. @throws OutOfRange for an unknown font */
export function fontNamed(fontName: string, parameter: string): Pick<SetText, "font" | "fontName"> {
  const font = requestedFont(fontName);
  if (!font) throw new OutOfRange(parameter, fontName, NOT_FOUND);
  return { font, fontName };
}

interface Colors {
  /** Components from 0 to 255. */
  readonly rgb?: readonly number[] | undefined;
  /** Percentages. */
  readonly cmyk?: readonly number[] | undefined;
}

/** Black, unless there is a color. */
export const inkOf = ({ rgb = [0, 0, 0], cmyk }: Colors): Pick<SetText, "color"> => ({
  color: cmyk ? cmyk.map((percent) => percent / 100) : rgb.map((component) => component / 255),
});
