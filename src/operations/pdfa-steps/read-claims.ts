// Reads the levels of PDF/A and PDF/UA that a PDF declares. Yields one output, a list of names in JSON.
import * as z from "zod";
import { defineOperation, type Run } from "../../document/contract/operation.ts";
import { metadataOf } from "../../document/pages/claims.ts";
import { openPdf } from "../../document/pages/open-pdf.ts";
import { jsonOutput } from "./report-failures.ts";

/** A name that can be shown: the metadata of an untrusted document can declare any text, of any length. */
const NAME = /^[!-~]{1,40}$/;

/** @throws EngineFailure */
const run: Run<Record<string, never>> = async function* ([input], _, context) {
  using pdf = await openPdf(await input!.bytes(), context, { asIs: true });
  const { claims } = metadataOf(pdf);
  const names = (["PDF/A", "PDF/UA"] as const).flatMap((family) => claims.get(family) ?? []);
  yield jsonOutput(names.filter((name) => NAME.test(name)));
};

export const readClaims = defineOperation({ name: "read-claims", params: z.object({}), run });
