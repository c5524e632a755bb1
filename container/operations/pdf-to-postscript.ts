// Writes the pages of a PDF as PostScript with Poppler.

import { createReadStream } from "node:fs";
import { join } from "node:path";
import { EngineFailure } from "../../src/document/contract/failure.ts";
import { pdfToPostscript } from "../../src/operations/pdf-to-postscript.ts";
import { CONTAINER_LIMITS } from "../limits.ts";
import { encodeOutputs } from "./encode-outputs.ts";
import { nativeOperation } from "./native.ts";

/** @throws EngineFailure for the reasons of {@link Poppler.convertToPostscript} */
export const nativePdfToPostscript = nativeOperation(
  pdfToPostscript,
  { engine: "threads", timeoutMs: CONTAINER_LIMITS.longJobMs },
  async function* ({ inputs: [input], folder, signal, log }, params, { poppler }) {
    if (!input) throw new EngineFailure("unsupported", "no file");
    const path = join(folder, "result.ps");
    await poppler.convertToPostscript(input.path, path, params, signal);
    yield* encodeOutputs([{ extension: "ps", type: "application/postscript", body: createReadStream(path) }], log);
  },
);
