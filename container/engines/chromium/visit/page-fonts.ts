// Gives a page the fonts of a request, by the names of their families. The fonts belong to the documents of this page
// alone, and have precedence over installed ones and those of its style sheets. They need no permission of the page,
// whose content security policy can forbid fonts and scripts.

import { OutOfRange } from "../../../../src/document/contract/failure.ts";
import { type AddedFont, divided, type SingleFont } from "../../../fonts/added-fonts.ts";
import type { Session } from "../pipe.ts";

/** Widths of letters by their class in a font (OpenType, "OS/2", usWidthClass), as CSS has them. */
const STRETCHES = ["50%", "62.5%", "75%", "87.5%", "100%", "112.5%", "125%", "150%", "200%"];

/**
 * Adds fonts to all documents that the page will load.
 * @throws OutOfRange `font_files` for a font that the browser cannot read
 */
export async function addFonts(session: Session, fonts: readonly AddedFont[]): Promise<void> {
  for (const font of divided(fonts)) {
    const source = `(${addFont})(${JSON.stringify(argumentsOf(font))})`;
    const { result } = await session.send("Runtime.evaluate", { expression: source, returnByValue: true });
    if (result.value !== true) throw new OutOfRange("font_files", font.name, "The browser cannot read the font.");
    await session.send("Page.addScriptToEvaluateOnNewDocument", { source, worldName: "fonts" });
  }
}

/** Adds the fonts to frames without scripts: the browser runs those of {@link addFonts} when a script reads a frame. */
export async function addFontsToFrames(session: Session): Promise<void> {
  await session.send("Runtime.evaluate", { expression: `(${readFrames})(window)` });
}

function readFrames(frames: Window): void {
  const read = (parent: Window) => {
    for (let index = 0; index < parent.length; index++) {
      try {
        if (parent[index]!.document) read(parent[index]!);
      } catch {
        // A frame of another origin.
      }
    }
  };
  read(frames);
}

interface FontArguments {
  readonly families: readonly string[];
  readonly descriptors: FontFaceDescriptors;
  /** Bytes in Base64. */
  readonly data: string;
}

function argumentsOf({ bytes, face }: SingleFont): FontArguments {
  const { families, weights, isItalic, widthClass } = face;
  const descriptors = {
    weight: weights.join(" "),
    style: isItalic ? "italic" : "normal",
    stretch: STRETCHES[widthClass - 1]!,
  };
  return { families, descriptors, data: Buffer.from(bytes).toString("base64") };
}

/** Runs inside a page, so it must not use outer variables. @returns false if the browser cannot read the font */
function addFont({ families, descriptors, data }: FontArguments): boolean {
  const text = atob(data);
  const bytes = new Uint8Array(text.length);
  for (let at = 0; at < bytes.length; at++) bytes[at] = text.charCodeAt(at);
  const faces = families.map((family) => new FontFace(family, bytes, descriptors));
  for (const face of faces) document.fonts.add(face);
  return faces.every(({ status }) => status === "loaded");
}
