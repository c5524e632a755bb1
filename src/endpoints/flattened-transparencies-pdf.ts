// Declares /flattened-transparencies-pdf, which flattens the transparent objects of a PDF.
import { endpoint } from "../endpoint.ts";
import { fileAndId, noSuchFile, notAPdf, outOfRange, passwordProtected, tooComplex, wrongType } from "../errors.ts";
import { choice, outputName } from "../fields.ts";
import { mayBePdf } from "../media-type.ts";
import type { FlattenParams } from "../operations/flatten-transparency.ts";
import { FLATTENING_QUALITIES } from "../pdf/flattening/settings.ts";
import { container } from "../placement.ts";

export const flattenedTransparenciesPdf = endpoint({
  path: "/flattened-transparencies-pdf",
  variants: ["keyed"],
  summary: "Flattens all transparent objects in a PDF.",
  source: { kind: "file-or-id", description: "PDF", accepts: mayBePdf },
  fields: {
    output: outputName("Name of the file, without extension."),
    quality: choice(
      "low for proofs on black-and-white printers and for the web, medium for desktop proofs and colour printers, high for press.",
      FLATTENING_QUALITIES,
      "medium",
    ),
  },
  naming: "name",
  setsUploadLimit: true,
  errors: [
    fileAndId(),
    wrongType(),
    outOfRange("quality", "best"),
    notAPdf(),
    passwordProtected(),
    noSuchFile(),
    tooComplex(),
  ],
  prepare: ({ quality }) => container<FlattenParams>("flatten-transparency", { quality }),
});
