import { documentTypeOf } from "../document-type.ts";
import { endpoint } from "../endpoint.ts";
import {
  fileAndId,
  fileIdAndUrl,
  noSuchFile,
  notAvailable,
  outOfRange,
  passwordProtected,
  tooComplex,
  wrongType,
} from "../errors.ts";
import { choice, length, outputName } from "../fields.ts";
import type { OfficeToPdfParams } from "../operations/office-to-pdf.ts";
import { container } from "../placement.ts";

export const pdf = endpoint({
  path: "/pdf",
  variants: ["private", "keyed"],
  summary: "Converts a document to PDF.",
  source: {
    kind: "file-id-or-url",
    description: "Word, Excel or PowerPoint document",
  },
  fields: {
    output: outputName("Name of the file, without extension."),
    compression: choice("How pictures are compressed.", ["lossy", "lossless"], "lossy"),
    downsample: choice(
      "The most dots per inch that pictures keep; off leaves them as they are.",
      ["off", "75", "150", "300", "600", "1200"],
      "300",
    ),
    tagged_pdf: choice("Whether the PDF is tagged (Office documents).", ["on", "off"], "off"),
    page_size: choice("Paper (HTML).", ["letter", "legal", "ledger", "A3", "A4", "A5"], "letter"),
    page_margin: length("Margin on all sides, in inches or millimetres (HTML).", "1in"),
    page_orientation: choice("Orientation of the paper (HTML).", ["portrait", "landscape"], "portrait"),
    web_layout: choice("The device whose layout a page shows (HTML).", ["desktop", "tablet", "mobile"], "desktop"),
  },
  naming: "name",
  errors: [
    fileAndId(),
    fileIdAndUrl(),
    outOfRange("downsample", "100"),
    wrongType(),
    passwordProtected(),
    noSuchFile(),
    tooComplex(),
    notAvailable("Web pages"),
  ],
  failures: { damaged: wrongType, unsupported: wrongType },
  async prepare({ compression, downsample, tagged_pdf }, { inputs: [input], url }) {
    if (url !== undefined) {
      if (!isWebAddress(url)) throw outOfRange("url", url);
      throw notAvailable("Web pages");
    }
    switch (await documentTypeOf(input!)) {
      case "office":
        return container<OfficeToPdfParams>("office-to-pdf", {
          tagged: tagged_pdf === "on",
          lossless: compression === "lossless",
          ...(downsample === "off" ? {} : { maxImageDpi: Number(downsample) }),
        });
      case "postscript":
        throw notAvailable("PostScript files");
      case "image":
        throw notAvailable("Pictures");
      case "html":
        throw notAvailable("HTML files");
      case "none":
        throw wrongType();
    }
  },
});

function isWebAddress(text: string): boolean {
  return URL.canParse(text) && ["http:", "https:"].includes(new URL(text).protocol);
}
