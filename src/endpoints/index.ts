// Lists all endpoints. An endpoint that is not listed here is not served.
import type { Endpoint } from "../http/endpoint.ts";
import type { Route } from "../http/route.ts";
import { bmp } from "./bmp.ts";
import { compressedPdf } from "./compressed-pdf.ts";
import { deleteFiles } from "./delete.ts";
import { flattenedTransparenciesPdf } from "./flattened-transparencies-pdf.ts";
import { gif } from "./gif.ts";
import { html } from "./html.ts";
import { jpg } from "./jpg.ts";
import { linearizedPdf } from "./linearized-pdf.ts";
import { mergedPdf } from "./merged-pdf.ts";
import { pdf } from "./pdf.ts";
import { pdfa } from "./pdfa.ts";
import { png } from "./png.ts";
import { splitPdfEndpoint } from "./split-pdf.ts";
import { tif } from "./tif.ts";
import { upload } from "./upload.ts";
import { zip } from "./zip.ts";

export const endpoints: readonly Endpoint[] = [
  bmp,
  compressedPdf,
  flattenedTransparenciesPdf,
  gif,
  html,
  jpg,
  linearizedPdf,
  mergedPdf,
  pdf,
  pdfa,
  png,
  splitPdfEndpoint,
  tif,
  zip,
];

/** Routes that run no operation. */
export const routes: readonly Route[] = [upload, deleteFiles];
