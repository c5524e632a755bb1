// Writes the PostScript that makes Ghostscript convert a program: it sets the page device and its settings, runs the
// program and judges its end. Applies to every way in which Ghostscript is run.

import type { Box, PostscriptProgram } from "./input.ts";

export interface PdfSettings {
  /** Stores pictures losslessly; otherwise photographs are stored as JPEG. */
  readonly lossless: boolean;
  /** Maximum dots per inch of a picture of more than one bit on the page. @default as many as it has */
  readonly maxImageDpi?: number;
}

/** File names in the job's folder. The zygote's input is the file that runs the program. */
export const NAMES = { setup: "setup.ps", input: "run.ps", program: "program.ps", output: "output.pdf" };

/** Page size of programs that set none: letter. */
const DEFAULT_PAGE = "[ 612 792 ]";

/**
 * JPEG of quality 90 on the scale of the Independent JPEG Group, with colors at half the resolution: a factor of 0.2
 * applied to the tables of ISO 10918-1, annex K.
 */
const JPEG = "<< /QFactor 0.2 /Blend 1 /HSamples [ 2 1 1 2 ] /VSamples [ 2 1 1 2 ] >>";

/**
 * Factor by which a picture must exceed the limit to be downsampled: a picture of 302 dpi gains nothing from a limit of
 * 300.
 */
const THRESHOLD = 1.01;

/**
 * Returns the program that selects the device, opens the output, and keeps the input from changing either. It inlines
 * no pictures in content streams, because they could be found only by reading all of the content.
 */
export function setupProgram(program: PostscriptProgram, settings: PdfSettings): string {
  return `<< /OutputDevice /pdfwrite /OutputFile (${NAMES.output}) /MaxInlineImageSize 0 ${page(program.box)} >> setpagedevice
<< ${distillerParameters(settings)} >> setdistillerparams
${documentInformation(program)}
% The program's own wishes for compression, resolution and another output do not count.
userdict /setdistillerparams { pop } bind put
userdict /setpagedevice { ${program.isEncapsulated ? "pop" : DOCUMENT_PAGE_DEVICE} } bind put
% What grestoreall goes back to: before, there was another device.
save pop
`;
}

/**
 * Page device of a document. A document is allowed to choose its paper, but a picture is not (EPSF specification 3.0,
 * 2.5).
 */
const DOCUMENT_PAGE_DEVICE =
  "dup length dict copy [ /LockDistillerParams /OutputFile /MaxInlineImageSize ] { 1 index exch undef } " +
  "forall setpagedevice";

/**
 * Returns the program that runs the input. Errors that the input does not catch pass to the caller. An input that ends
 * in another way before its end, or without a page, quits with 1. Operators are bound, so that the input's own
 * definitions of their names do not matter.
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

/** Makes the box the page and its lower left corner the origin. Install does so for `initgraphics` too. */
function page(box: Box | undefined): string {
  if (box === undefined) return `/PageSize ${DEFAULT_PAGE}`;
  const [llx, lly, urx, ury] = box;
  const size = [urx - llx, ury - lly].map(decimal).join(" ");
  return `/PageSize [ ${size} ] /Install { ${decimal(-llx)} ${decimal(-lly)} translate }`;
}

/** Formats a number without an exponent. PostScript accepts exponents, but only a few digits are meaningful. */
const decimal = (value: number) => String(Number(value.toFixed(4)));

function distillerParameters({ lossless, maxImageDpi }: PdfSettings): string {
  const kinds = ["Color", "Gray"].flatMap((kind) => [
    `/AutoFilter${kind}Images ${!lossless} /${kind}ImageFilter /${lossless ? "FlateEncode" : "DCTEncode"}`,
    `/${kind}ImageDict ${JPEG} /${kind}ACSImageDict ${JPEG}`,
    downsampling(kind, maxImageDpi),
  ]);
  return [
    "/CompatibilityLevel 1.7 /AutoRotatePages /None /LockDistillerParams true",
    "/EmbedAllFonts true /SubsetFonts true /NeverEmbed [ ] /CannotEmbedFontPolicy /Warning",
    "/ColorConversionStrategy /LeaveColorUnchanged /PreserveOverprintSettings true /PreserveSeparation true",
    "/UCRandBGInfo /Preserve /TransferFunctionInfo /Preserve",
    "/ParseDSCComments false",
    ...kinds,
    "/MonoImageFilter /CCITTFaxEncode",
    // Ghostscript would drop every second or third row and column. Pictures of one bit are downsampled later instead.
    "/DownsampleMonoImages false",
  ].join("\n");
}

function downsampling(kind: string, maxImageDpi: number | undefined): string {
  if (maxImageDpi === undefined) return `/Downsample${kind}Images false`;
  return `/Downsample${kind}Images true /${kind}ImageDownsampleType /Bicubic
    /${kind}ImageResolution ${maxImageDpi} /${kind}ImageDownsampleThreshold ${THRESHOLD}`;
}

/** Returns the document information from the comments; the document's own pdfmarks take precedence. */
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
