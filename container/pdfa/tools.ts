// Builds the ladder's tools from the container's threads and engines. Files are passed by their paths in the job's
// folder.

import { randomUUID } from "node:crypto";
import { closeSync, openSync, writeFile, writeFileSync } from "node:fs";
import { stat } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { EngineFailure } from "../../src/core/failure.ts";
import type { Output } from "../../src/core/operation.ts";
import type { Comparison } from "../../src/operations/pdfa-steps/compare-pdfs.ts";
import type { ContentWork } from "../../src/pdf/pdfa/content/content-count.ts";
import type { ArchivalLevel } from "../../src/pdf/pdfa/level.ts";
import { decodeAnswer } from "../../src/placement/remote.ts";
import type { PdfRewriter } from "../engines/ghostscript/pdf.ts";
import type { VeraPdf } from "../engines/verapdf/verapdf.ts";
import type { HostedJob } from "../jobs/hosted.ts";
import type { Threads } from "../jobs/threads.ts";
import { type FileInput, fileInput, SMALL_BYTES } from "../scratch/file-input.ts";
import { climb, type Judges } from "./ladder.ts";
import type { MadeFile, Rung } from "./rung.ts";

/** Engines and threads that do the work. */
export interface Machines {
  readonly threads: Pick<Threads, "run">;
  readonly validator: Pick<VeraPdf, "validate">;
  readonly rewriter: PdfRewriter;
  /** Maximum size of the heap of a thread's engine. */
  readonly heapLimitBytes: number;
}

/** Time after which the remaining pages of a long document are not compared. */
const COMPARE_MS = 8_000;

/** Time that a thread has to end a useless look by itself, because a new thread costs more. */
const LOOKING_ENDS_MS = 200;

/** Maximum work of a light validation. Validations with more time or memory run one at a time. */
const LIGHT: ContentWork = { ms: 2_000, bytes: 256 * 2 ** 20 };

/** Maximum depth of embedded documents that are converted; deeper ones stay as they are. */
const DEEPEST = 1;

export function toolsFor(
  level: ArchivalLevel,
  rungs: readonly Rung[],
  machines: Machines,
  job: Pick<HostedJob, "folder" | "signal" | "log" | "aside">,
  depth = 0,
): Judges {
  const { threads, validator, rewriter, heapLimitBytes } = machines;
  const { folder, signal, log, aside } = job;
  const place = () => join(folder, `made-${randomUUID()}.pdf`);
  const start = (operation: string, inputs: readonly FileInput[], params: unknown, until = signal) => {
    const files = inputs.map(({ name, size, path }) => ({ name, size, path }));
    const frames = threads.run({ operation, inputs: files, params, heapLimitBytes }, until, log);
    return decodeAnswer(toTheEnd(frames), { signal: until });
  };
  async function gather(operation: string, inputs: readonly FileInput[], params: unknown, until = signal) {
    const made: FileInput[] = [];
    for await (const { body } of start(operation, inputs, params, until)) {
      made.push(await written(place(), body, until));
    }
    return made;
  }
  // A failure here is repeated, and reported, by the comparison.
  const lookAt = (input: FileInput, until: AbortSignal) =>
    gather("look-at-pdf", [input], { timeMs: COMPARE_MS / 2 }, until)
      .then(([made]) => made)
      .catch(() => undefined);
  return {
    level,
    signal,
    log,
    async make(operation, inputs, params) {
      let made: MadeFile | undefined;
      const before = inputs[0]?.notices ?? [];
      for await (const { type, body, notices } of start(operation, inputs, params)) {
        if (type !== "application/json") {
          made = await written(place(), body, signal);
          made = { ...made, notices: [...before, ...(notices?.() ?? [])] };
        } else if (made) made = { ...made, work: JSON.parse(await textOf(body)) };
      }
      if (!made) throw new EngineFailure("crashed", `${operation} gave nothing`);
      return made;
    },
    extract: (operation, inputs, params) => gather(operation, inputs, params),
    async convert(embedded, timeoutMs) {
      if (depth >= DEEPEST) return undefined;
      const limited = { ...job, signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]) };
      try {
        const inner = toolsFor({ part: level.part, conformance: "b" }, rungs, machines, limited, depth + 1);
        return (await climb(embedded, rungs, inner)).document;
      } catch (error) {
        signal.throwIfAborted();
        log("an embedded PDF is not converted", { error: String(error) });
        return undefined;
      }
    },
    async rewrite(input) {
      const path = place();
      await rewriter.rewrite(input.path, path, { version: level.part === 1 ? "1.4" : "1.7" }, signal);
      return fileInput("document.pdf", (await stat(path)).size, path);
    },
    async count(original) {
      try {
        let work: ContentWork | undefined;
        for await (const { body } of start("count-content", [original], {})) work = JSON.parse(await textOf(body));
        return work;
      } catch (error) {
        signal.throwIfAborted();
        if (!(error instanceof EngineFailure) || error.reason === "too-much-content") throw error;
        // The rungs detect any other fault of the document.
        return undefined;
      }
    },
    async validate({ path, work }) {
      const isLight = work !== undefined && work.ms <= LIGHT.ms && work.bytes <= LIGHT.bytes;
      const validate = () => validator.validate(path, level, signal, isLight ? "light" : "heavy");
      try {
        return await (isLight ? validate() : aside(validate));
      } catch (error) {
        if (!(error instanceof EngineFailure)) throw error;
        // The estimate was too low. A file made from this one would take as long, and fail too.
        if (error.reason === "too-large") throw new EngineFailure("too-much-content", error.detail, { cause: error });
        if (!UNREADABLE.has(error.reason)) throw error;
        log("not validated", { error: String(error) });
        return undefined;
      }
    },
    look(original) {
      const ending = new AbortController();
      const either = AbortSignal.any([signal, ending.signal]);
      let isOver = false;
      const seen = lookAt(original, either).finally(() => {
        isOver = true;
      });
      const end = async () => {
        await Promise.race([seen, sleep(LOOKING_ENDS_MS, undefined, { ref: false })]);
        ending.abort();
      };
      return {
        seen,
        get isOver() {
          return isOver;
        },
        [Symbol.asyncDispose]: end,
      };
    },
    async compare(original, candidate, looking) {
      let text = "";
      const after = !looking || looking.isOver ? undefined : await lookAt(candidate, signal);
      const before = await looking?.seen;
      const looks = before ? [before, ...(after ? [after] : [])] : [];
      const inputs = [original, candidate, ...looks];
      for await (const { body } of start("compare-pdfs", inputs, { timeMs: COMPARE_MS })) {
        text = await textOf(body);
      }
      return JSON.parse(text) as Comparison;
    },
  };
}

/** Failures that a document can cause in the validator; a file made from it may not cause them. */
const UNREADABLE = new Set(["password-protected", "damaged", "too-complex"]);

/**
 * Reads an answer to its end even if its reader leaves: a thread whose answer is left early is ended with it, and the
 * rest is only a frame without meaning.
 */
function toTheEnd(frames: AsyncGenerator<Uint8Array>): AsyncIterable<Uint8Array> {
  const leave = async (): Promise<IteratorResult<Uint8Array>> => {
    try {
      while (!(await frames.next()).done);
    } catch {
      // The job was aborted, which its reader learns in another way.
    }
    return { done: true, value: undefined };
  };
  return { [Symbol.asyncIterator]: () => ({ next: () => frames.next(), return: leave }) };
}

async function written(path: string, body: Output["body"], until: AbortSignal): Promise<FileInput> {
  const file = openSync(path, "wx", 0o600);
  let size = 0;
  try {
    for await (const chunk of body instanceof Uint8Array ? [body] : body) {
      until.throwIfAborted();
      size += chunk.length;
      if (size <= SMALL_BYTES) writeFileSync(file, chunk);
      else await writeLater(file, chunk);
    }
  } finally {
    closeSync(file);
  }
  return fileInput("document.pdf", size, path);
}

const writeLater = promisify(writeFile);

async function textOf(body: Uint8Array | Iterable<Uint8Array> | AsyncIterable<Uint8Array>): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of body instanceof Uint8Array ? [body] : body) chunks.push(chunk.slice());
  return Buffer.concat(chunks).toString("utf8");
}
