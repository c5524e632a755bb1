// Reads the levels of PDF/A and PDF/UA that a PDF declares. Yields one output, a list of names in JSON.
import * as z from "zod";
import { defineOperation, type Run } from "../../document/contract/operation.ts";
import { metadataOf } from "../../document/pages/claims.ts";
import { openPdf } from "../../document/pages/open-pdf.ts";
import { jsonOutput } from "./report-failures.ts";

/** @throws EngineFailure */
const run: Run<Record<string, never>> = async function* ([input], _, context) {
  using pdf = await openPdf(await input!.bytes(), context, { asIs: true });
  const { claims } = metadataOf(pdf);
  yield jsonOutput((["PDF/A", "PDF/UA"] as const).flatMap((family) => claims.get(family) ?? []));
};

export const readClaims = defineOperation({ name: "read-claims", params: z.object({}), run });
