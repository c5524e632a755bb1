// Converts a PDF to PDF/A: runs the ladder with its rungs on the input file and returns the output file. Knows nothing
// about how any rung works.

import { z } from "zod";
import { EngineFailure } from "../../src/core/failure.ts";
import type { Output } from "../../src/core/operation.ts";
import type { PdfToPdfaParams } from "../../src/operations/pdf-to-pdfa.ts";
import type { HostedJob } from "../jobs/hosted.ts";
import { conforming } from "../pdfa/conforming.ts";
import { ghostscript } from "../pdfa/ghostscript.ts";
import { climb } from "../pdfa/ladder.ts";
import { pictures } from "../pdfa/pictures.ts";
import { repair } from "../pdfa/repair.ts";
import { type Machines, toolsFor } from "../pdfa/tools.ts";
import { SMALL_BYTES } from "../scratch/file-input.ts";
import { archivalLevel } from "./archival-level.ts";

/** Parameters from the Worker, which may be of another version. */
export const pdfToPdfaParams: z.ZodType<PdfToPdfaParams> = z.object({ level: archivalLevel, rasterize: z.boolean() });

const RUNGS = [conforming, repair, ghostscript];

/**
 * Yields one output, which is the input itself if it conforms.
 * @throws EngineFailure `nonconforming`, or the failure that the document or an engine caused
 */
export async function* pdfToPdfa(
  machines: Machines,
  { level, rasterize }: PdfToPdfaParams,
  job: Pick<HostedJob, "inputs" | "folder" | "signal" | "log" | "aside">,
): AsyncGenerator<Output> {
  const [input] = job.inputs;
  if (!input) throw new EngineFailure("unsupported", "no file");
  const rungs = rasterize ? [...RUNGS, pictures] : RUNGS;
  const { document, rung } = await climb(input, rungs, toolsFor(level, rungs, machines, job));
  job.log("conforms", { rung, bytes: document.size });
  yield {
    extension: "pdf",
    type: "application/pdf",
    body: document.size <= SMALL_BYTES ? await document.bytes() : document.stream(),
    notices: () => document.notices ?? [],
  };
}
