// What Ghostscript is told to do with a program, in its own language: the page device and its settings, and how the program
// is run and its end judged. The same for every way in which Ghostscript is run.

import type { Box, PostscriptProgram } from "./ghostscript-input.ts";

export interface PdfSettings {
  /** Pictures without loss, else as JPEG where they are photographs. */
  readonly lossless: boolean;
  /** The most dots per inch that a picture of more than one bit has on the page. @default as many as it has */
  readonly maxImageDpi?: number;
}

/** Names in the job's folder. What runs the program is the zygote's input. */
export const names = { setup: "setup.ps", input: "run.ps", program: "program.ps", output: "output.pdf" };

/** Of programs that set none: letter. */
const DEFAULT_PAGE = "[ 612 792 ]";

/**
 * JPEG of quality 90 on the scale of the Independent JPEG Group, colours at half the resolution: a factor of 0.2 to the
 * tables of ISO 10918-1, annex K.
 */
const JPEG = "<< /QFactor 0.2 /Blend 1 /HSamples [ 2 1 1 2 ] /VSamples [ 2 1 1 2 ] >>";

/** What is less over the limit than this is left alone: a picture of 302 dpi where 300 are asked for gains nothing. */
const THRESHOLD = 1.01;

/**
 * Selects the device, opens the output, and keeps the input from changing either. No picture stands in the midst of content,
 * where it could not be found without reading all of it.
 */
export function setupProgram(program: PostscriptProgram, settings: PdfSettings): string {
  return `<< /OutputDevice /pdfwrite /OutputFile (${names.output}) /MaxInlineImageSize 0 ${page(program.box)} >> setpagedevice
<< ${distillerParameters(settings)} >> setdistillerparams
${documentInformation(program)}
% The program's own wishes for compression, resolution and another output do not count.
userdict /setdistillerparams { pop } bind put
userdict /setpagedevice { ${program.isEncapsulated ? "pop" : DOCUMENT_PAGE_DEVICE} } bind put
% What grestoreall goes back to: before, there was another device.
save pop
`;
}

/** The paper is not a picture's to choose (EPSF specification 3.0, 2.5); a document may. */
const DOCUMENT_PAGE_DEVICE =
  "dup length dict copy [ /LockDistillerParams /OutputFile /MaxInlineImageSize ] { 1 index exch undef } forall setpagedevice";

/**
 * Runs the program. An error that it does not catch goes on to whoever runs this. One that ends in another way before its
 * end, or without a page, quits with 1. Operators are bound, so that the program's own definitions of their names do not
 * matter.
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
  (${names.program}) (r) file dup //pagewright exch /file exch put
  { run } stopped {
    //$error /newerror get { stop } { (stopped) //pagewright /fail get exec } ifelse
  } if
  //pagewright /pages get exec //pagewright /before get eq { ${noPage} } if
} bind
userdict /pagewright undef
exec
`;
}

/** The box becomes the page, and its lower left corner the origin, which Install makes so for `initgraphics` too. */
function page(box: Box | undefined): string {
  if (box === undefined) return `/PageSize ${DEFAULT_PAGE}`;
  const [llx, lly, urx, ury] = box;
  const size = [urx - llx, ury - lly].map(decimal).join(" ");
  return `/PageSize [ ${size} ] /Install { ${decimal(-llx)} ${decimal(-lly)} translate }`;
}

/** PostScript knows exponents, but no more than a few digits are meant. */
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
    // Ghostscript takes out whole rows and columns, every second or third: pictures of one bit are brought down afterwards.
    "/DownsampleMonoImages false",
  ].join("\n");
}

function downsampling(kind: string, maxImageDpi: number | undefined): string {
  if (maxImageDpi === undefined) return `/Downsample${kind}Images false`;
  return `/Downsample${kind}Images true /${kind}ImageDownsampleType /Bicubic
    /${kind}ImageResolution ${maxImageDpi} /${kind}ImageDownsampleThreshold ${THRESHOLD}`;
}

/** What the comments tell of the document; its own pdfmarks count more. */
function documentInformation({ title, author, creator }: PostscriptProgram): string {
  const entries = Object.entries({ Title: title, Author: author, Creator: creator })
    .filter(([, text]) => text !== undefined)
    .map(([key, text]) => `/${key} <${textString(text!)}>`);
  return entries.length === 0 ? "" : `[ ${entries.join(" ")} /DOCINFO pdfmark`;
}

/** UTF-16BE with its mark (ISO 32000-1, 7.9.2.2), in hexadecimal digits. */
function textString(text: string): string {
  return Buffer.from(`\ufeff${text}`, "utf16le").swap16().toString("hex");
}
