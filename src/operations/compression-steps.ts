// Returns the steps of a compression. A first step flattens transparency, and a last step linearizes, each only if the
// profile requests it.

import { flatteningOf, isForWeb } from "../document/compression/profile-settings.ts";
import { type Steps, stepOf } from "../document/contract/operation.ts";
import { type CompressParams, compressPdf } from "./compress-pdf.ts";
import { flattenTransparency } from "./flatten-transparency.ts";
import { linearizePdf } from "./linearize-pdf.ts";

export function compressionSteps(params: CompressParams): Steps {
  const compress = stepOf(compressPdf, params);
  if (params.level !== "custom" || !params.profile) return [compress];
  const last = isForWeb(params.profile) ? [stepOf(linearizePdf, {})] : [];
  const quality = flatteningOf(params.profile);
  return quality ? [stepOf(flattenTransparency, { quality }), compress, ...last] : [compress, ...last];
}
