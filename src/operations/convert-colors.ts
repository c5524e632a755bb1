// Converts all colors of a PDF to one color space. Yields one output.
import { convertColors as convert } from "../document/colors/convert-colors.ts";
import { computedProfile, isComputed, PRESETS } from "../document/colors/presets.ts";
import { LAB, type Target, targetOf } from "../document/colors/target.ts";
import { OutOfRange } from "../document/contract/failure.ts";
import { countedNotices } from "../document/contract/notice.ts";
import { defineOperation, type Input } from "../document/contract/operation.ts";
import { type Params, parameter } from "../document/contract/parameter.ts";
import { choice } from "../document/contract/parameters/choice.ts";
import { trueFalse } from "../document/contract/parameters/on-off.ts";
import { withdrawClaims } from "../document/pages/claims.ts";
import { type OpenPdf, pdfToPdf } from "../document/pages/open-pdf.ts";

const parameters = {
  colorProfile: parameter(
    "The color space; custom takes that of profile.",
    choice(["lab-d50", ...PRESETS, "acrobat5-cmyk", "acrobat9-cmyk", "custom"]),
  ),
  preserveBlack: parameter(
    "true to convert black and gray to black ink alone, if the profile is of CMYK; pictures of several colors excepted.",
    trueFalse,
    "false",
  ),
};
export type ConvertColorsParams = Params<typeof parameters>;

const NOT_A_PROFILE = "It is not an ICC profile to which gray, RGB or CMYK colors can be converted.";
const WHITE = new Uint8Array([255, 255, 255]);

/** @throws OutOfRange if the profile cannot be used */
const run = pdfToPdf<ConvertColorsParams>(
  async (pdf, { colorProfile, preserveBlack }, { others, signal, heapLimitBytes }) => {
    const target = await targetIn(pdf, colorProfile, others[0]);
    const limitBytes = heapLimitBytes - pdf.memory.engineBytes;
    const options = { target, preservesBlack: preserveBlack, limitBytes, signal };
    const failures = await convert(pdf.file, pdf.source, options);
    pdf.notices.push(...countedNotices("images-unreadable", failures));
    pdf.notices.push(...withdrawClaims(pdf.file, (family) => family !== "PDF/UA"));
  },
);

export const convertColors = defineOperation({ name: "convert-colors", parameters, run });

async function targetIn(
  { file, source }: OpenPdf,
  name: ConvertColorsParams["colorProfile"],
  given: Input | undefined,
): Promise<Target> {
  if (name === "lab-d50") return LAB;
  if (name !== "custom") return targetOf(file, isComputed(name) ? computedProfile(name) : source.cmykProfile())!;
  const target = given && targetOf(file, await given.bytes());
  if (target && source.colors.convert(WHITE, { key: "rgb", is: "rgb" }, target.engine)) return target;
  throw new OutOfRange("profile", given?.name ?? "", NOT_A_PROFILE);
}
