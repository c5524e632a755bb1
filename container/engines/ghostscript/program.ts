// Generates PostScript code that converts a PostScript program. The code sets the page device, runs the program and
// checks how it ended. Both the zygote and the plain program use it.

import type { NamedFont } from "../../fonts/deployed-fonts.ts";
import type { Box, PostscriptProgram } from "./input.ts";

export interface PdfSettings {
  /** Stores images losslessly. If false, stores photographs as JPEG. */
  readonly lossless: boolean;
  /** Maximum resolution in dpi of images with more than one bit per pixel. @default unlimited */
  readonly maxImageDpi?: number;
  /** Entries for setdistillerparams, which take precedence. @default none */
  readonly jobOptions?: { readonly parameters: string };
  /** Fonts that have precedence over all others. @default none */
  readonly fonts?: readonly NamedFont[];
}

/** File names in the job's folder. `input` is the code that runs `program`, the client's PostScript. */
export const NAMES = { setup: "setup.ps", input: "run.ps", program: "program.ps", output: "output.pdf" };

/** Default page size: letter. */
const DEFAULT_PAGE = "[ 612 792 ]";

/**
 * JPEG of quality 90 (as the Independent JPEG Group counts it), with half the resolution for colors. The factor 0.2
 * applies to the quantization tables of ISO 10918-1, annex K.
 */
const JPEG = "<< /QFactor 0.2 /Blend 1 /HSamples [ 2 1 1 2 ] /VSamples [ 2 1 1 2 ] >>";

/**
 * An image is downsampled only if it exceeds the limit by this factor: reducing 302 dpi to 300 dpi would only lose
 * quality.
 */
const THRESHOLD = 1.01;

/**
 * Returns the code that selects the device and opens the output. The input cannot change the device or the output.
 * Disables inline images, because finding them in the PDF would require parsing all content.
 */
export function setupProgram(program: PostscriptProgram, settings: PdfSettings): string {
  return `${(settings.fonts ?? []).flatMap(fontEntries).join("")}<< /OutputDevice /pdfwrite /OutputFile (${NAMES.output}) /MaxInlineImageSize 0 ${page(program.box)} >> setpagedevice
<< ${distillerParameters(settings)} >> setdistillerparams
<< ${settings.jobOptions?.parameters ?? ""} >> setdistillerparams
<< /LockDistillerParams true >> setdistillerparams
${documentInformation(program)}
% The program's own wishes for compression, resolution and another output do not count.
userdict /setdistillerparams { pop } bind put
userdict /setpagedevice { ${program.isEncapsulated ? "pop" : DOCUMENT_PAGE_DEVICE} } bind put
% What grestoreall goes back to: before, there was another device.
save pop
`;
}

/**
 * Replacement for setpagedevice in a document, which can choose its paper. An EPS file cannot (EPSF specification 3.0,
 * 2.5).
 */
const DOCUMENT_PAGE_DEVICE =
  "dup length dict copy [ /LockDistillerParams /OutputFile /MaxInlineImageSize ] { 1 index exch undef } " +
  "forall setpagedevice";

/**
 * Returns the code that runs the input. Errors that the input does not catch pass to the caller. If the input stops
 * early or has no page, the code quits with status 1. Operators are bound, so that the input cannot redefine them.
 */
export function runProgram({ isEncapsulated, declaredPages }: PostscriptProgram): string {
  const noPage = isEncapsulated ? "showpage" : "(no page) //pagewright /fail get exec";
  return `userdict /pagewright 4 dict put
pagewright /pages { currentpagedevice /PageCount get } bind put
pagewright /before pagewright /pages get exec put
pagewright /fail { print (\\n) print flush null 1 .quit } bind put
$error /newerror false put
userdict /quit {
  //pagewright /pages get exec //pagewright /before get sub
  dup 0 eq { ${noPage} } if
  ${declaredPages} lt { (quit before its last page) //pagewright /fail get exec } if
  % A program within another, as compressed ones are, ends where the outer one does.
  currentfile //pagewright /file get eq {
    { //pagewright /file get token } stopped { true } if
    { (quit before its end) //pagewright /fail get exec } if
  } if
  null 0 .quit
} bind put
{
  (${NAMES.program}) (r) file dup //pagewright exch /file exch put
  { run } stopped {
    //$error /newerror get { stop } { (stopped) //pagewright /fail get exec } ifelse
  } if
  //pagewright /pages get exec //pagewright /before get eq { ${noPage} } if
} bind
userdict /pagewright undef
exec
`;
}

/** Bytes of a name (PLRM, appendix B). */
const LONGEST_NAME = 127;

/** Returns code for Ghostscript's map of fonts. A font that is loaded already, under the same name, is forgotten. */
const fontEntries = ({ path, names }: NamedFont): string[] =>
  names
    .filter((name) => Buffer.byteLength(name) <= LONGEST_NAME)
    .map((name) => {
      const key = `<${Buffer.from(name).toString("hex")}> cvn`;
      return (
        `true setglobal ${key} undefinefont false setglobal ${key} undefinefont\n` +
        `Fontmap ${key} undef ${key} (${path}) .definefontmap\n`
      );
    });

/**
 * Returns device settings that make the bounding box the page, with the origin at its lower left corner. `Install`
 * moves the origin again after `initgraphics`.
 */
function page(box: Box | undefined): string {
  if (box === undefined) return `/PageSize ${DEFAULT_PAGE}`;
  const [llx, lly, urx, ury] = box;
  const size = [urx - llx, ury - lly].map(decimal).join(" ");
  return `/PageSize [ ${size} ] /Install { ${decimal(-llx)} ${decimal(-lly)} translate }`;
}

/** Formats a number without an exponent. Four decimals are enough. */
const decimal = (value: number) => String(Number(value.toFixed(4)));

function distillerParameters({ lossless, maxImageDpi }: PdfSettings): string {
  const kinds = ["Color", "Gray"].flatMap((kind) => [
    `/AutoFilter${kind}Images ${!lossless} /${kind}ImageFilter /${lossless ? "FlateEncode" : "DCTEncode"}`,
    `/${kind}ImageDict ${JPEG} /${kind}ACSImageDict ${JPEG}`,
    downsampling(kind, maxImageDpi),
  ]);
  return [
    "/CompatibilityLevel 1.7 /AutoRotatePages /None",
    "/EmbedAllFonts true /SubsetFonts true /NeverEmbed [ ] /CannotEmbedFontPolicy /Warning",
    "/ColorConversionStrategy /LeaveColorUnchanged /PreserveOverprintSettings true /PreserveSeparation true",
    "/UCRandBGInfo /Preserve /TransferFunctionInfo /Preserve",
    "/ParseDSCComments false",
    ...kinds,
    "/MonoImageFilter /CCITTFaxEncode",
    // Ghostscript would drop rows and columns of 1-bit images, so a later step downsamples such images.
    "/DownsampleMonoImages false",
  ].join("\n");
}

function downsampling(kind: string, maxImageDpi: number | undefined): string {
  if (maxImageDpi === undefined) return `/Downsample${kind}Images false`;
  return `/Downsample${kind}Images true /${kind}ImageDownsampleType /Bicubic
    /${kind}ImageResolution ${maxImageDpi} /${kind}ImageDownsampleThreshold ${THRESHOLD}`;
}

/** Returns code that sets the document information from the comments. The document's own pdfmarks take precedence. */
function documentInformation({ title, author, creator }: PostscriptProgram): string {
  const entries = Object.entries({ Title: title, Author: author, Creator: creator })
    .filter(([, text]) => text !== undefined)
    .map(([key, text]) => `/${key} <${textString(text!)}>`);
  return entries.length === 0 ? "" : `[ ${entries.join(" ")} /DOCINFO pdfmark`;
}

/** Encodes text as UTF-16BE with its byte order mark (ISO 32000-1, 7.9.2.2), in hexadecimal digits. */
function textString(text: string): string {
  return Buffer.from(`\ufeff${text}`, "utf16le").swap16().toString("hex");
}
