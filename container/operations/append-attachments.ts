// Prints an e-mail, converts its attachments one after the other, and appends their pages. An attachment that cannot be
// converted is left out.

import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import type * as z from "zod";
import { EngineFailure, OutOfRange } from "../../src/document/contract/failure.ts";
import { LIMITS } from "../../src/document/contract/limits.ts";
import { type Notice, type NoticeSubject, namedNotices } from "../../src/document/contract/notice.ts";
import type { OperationDeclaration } from "../../src/document/contract/operation.ts";
import { parsePages } from "../../src/document/contract/pages.ts";
import { mergePdfs } from "../../src/operations/merge-pdfs.ts";
import { appendAttachments } from "../../src/operations/to-pdf/append-attachments.ts";
import { FONT } from "../../src/operations/to-pdf/fonts.ts";
import { heifToPdf } from "../../src/operations/to-pdf/heif-to-pdf.ts";
import { imageToPdf } from "../../src/operations/to-pdf/image-to-pdf.ts";
import { TEXT_KINDS, textToHtml } from "../../src/operations/to-pdf/text-to-html.ts";
import { documentTypeOf, mediaTypeOfInput } from "../../src/service/http/requests/document-type.ts";
import { decodeResponse } from "../../src/service/placement/remote.ts";
import { CONTAINER_LIMITS } from "../limits.ts";
import { writeToFile } from "../pdfa/outputs.ts";
import { threadJob } from "../processes/thread-job.ts";
import { type FileInput, fileInput } from "../scratch/file-input.ts";
import { encodeOutputs } from "./encode-outputs.ts";
import { nativeHtmlToPdf } from "./html-to-pdf.ts";
import { type Engines, type NativeJob, nativeOperation } from "./native.ts";
import { nativeOfficeToPdf } from "./office-to-pdf.ts";
import { nativePostscriptToPdf } from "./postscript-to-pdf.ts";
import { nativeSvgToPdf } from "./svg-to-pdf.ts";

type Params = z.infer<typeof appendAttachments.params>;

/** @throws EngineFailure the failure of the e-mail itself */
export const nativeAppendAttachments = nativeOperation(
  appendAttachments,
  { engine: "chromium", timeoutMs: CONTAINER_LIMITS.longJobMs },
  async function* (job, params, engines) {
    const fonts = job.inputs.filter(({ role }) => role === FONT);
    const [page, ...attachments] = job.inputs.filter(({ role }) => role !== FONT);
    if (!page) throw new EngineFailure("unsupported", "no page");
    const converter = new Converter(params, engines, fonts);
    const documents = [await converter.pdfOf(page, { ...job, folder: await folderIn(job, 0) })];
    const left: NoticeSubject[] = [];
    for (const [index, attachment] of attachments.entries()) {
      if (index >= LIMITS.mailAppended) left.push({ name: attachment.name });
      else {
        const folder = await folderIn(job, index + 1);
        const pdf = await converter.attached(attachment, { ...job, folder });
        if (pdf) documents.push(pdf);
        else left.push({ name: attachment.name });
      }
    }
    const notices = [...converter.notices, ...namedNotices("attachments-not-converted", left)];
    job.log("attachments appended", { attachments: attachments.length, left: left.length });
    const merged = await converter.merged(documents, job);
    const body = { extension: "pdf", type: "application/pdf", body: merged.stream(), notices: () => notices };
    yield* encodeOutputs([body], job.log);
  },
);

async function folderIn({ folder }: NativeJob, index: number): Promise<string> {
  const path = join(folder, `part-${index}`);
  await mkdir(path);
  return path;
}

const ALL = parsePages("1-last")!;

class Converter {
  readonly notices: Notice[] = [];
  readonly #params: Params;
  readonly #engines: Engines;
  readonly #fonts: readonly FileInput[];

  constructor(params: Params, engines: Engines, fonts: readonly FileInput[]) {
    this.#params = params;
    this.#engines = engines;
    this.#fonts = fonts;
  }

  /** Returns an attachment as a PDF; undefined if it cannot be converted. */
  async attached(input: FileInput, job: NativeJob): Promise<FileInput | undefined> {
    try {
      return await this.pdfOf(input, job);
    } catch (error) {
      job.signal.throwIfAborted();
      if (!(error instanceof EngineFailure || error instanceof OutOfRange)) throw error;
      job.log("attachment not converted", { error: String(error) });
      return undefined;
    }
  }

  /** @throws EngineFailure, OutOfRange the failure of the document */
  async pdfOf(input: FileInput, job: NativeJob): Promise<FileInput> {
    const { printing } = this.#params;
    const type = await documentTypeOf(input);
    const images = {
      lossless: printing.lossless,
      ...(printing.maxImageDpi ? { maxImageDpi: printing.maxImageDpi } : {}),
    };
    const one = { ...job, inputs: [input, ...this.#fonts] };
    switch (type) {
      case "html":
      case "html-archive": {
        const page = { ...printing, isSealed: true, ...(type === "html" ? {} : { isArchive: true }) };
        return this.#saved(nativeHtmlToPdf.run(one, page, this.#engines), job);
      }
      case "office":
        return this.#saved(
          nativeOfficeToPdf.run(one, { tagged: printing.tagged ?? false, ...images }, this.#engines),
          job,
        );
      case "postscript":
        return this.#saved(nativePostscriptToPdf.run(one, images, this.#engines), job);
      case "svg":
        return this.#saved(nativeSvgToPdf.run(one, images, this.#engines), job);
      case "heif":
        return this.#saved(this.#inThread(heifToPdf, [input], { lossless: images.lossless }, job), job);
      case "image":
      case "tiff":
      case "webp":
        return this.#saved(this.#inThread(imageToPdf, [input], { lossless: images.lossless }, job), job);
      case "none":
        if ((await mediaTypeOfInput(input)) !== "application/pdf") break;
        return this.merged([input], job);
    }
    const kind = TEXT_KINDS.find((one) => one === type);
    if (!kind) throw new EngineFailure("unsupported", `an attachment of the type ${type}`);
    const { appends: _, ...text } = this.#params.text;
    const parts = await this.#allSaved(this.#inThread(textToHtml, [input], { ...text, kind }, job), job, "page.html");
    return this.#saved(
      nativeHtmlToPdf.run({ ...job, inputs: [...parts, ...this.#fonts] }, printing, this.#engines),
      job,
    );
  }

  merged(documents: readonly FileInput[], job: NativeJob): Promise<FileInput> {
    return this.#saved(
      this.#inThread(mergePdfs, documents, { pages: documents.map(() => ALL) }, job),
      job,
      "merged.pdf",
    );
  }

  #inThread<P>(operation: OperationDeclaration<P>, inputs: readonly FileInput[], params: NoInfer<P>, job: NativeJob) {
    const { threads, heapLimitBytes } = this.#engines;
    return threads.run(threadJob(operation, inputs, params, heapLimitBytes), job.signal, job.log);
  }

  /** Writes the output to the job's folder. */
  async #saved(frames: AsyncIterable<Uint8Array>, job: NativeJob, name = "converted.pdf"): Promise<FileInput> {
    const [saved] = await this.#allSaved(frames, job, name);
    if (!saved) throw new EngineFailure("crashed", "no output");
    return saved;
  }

  async #allSaved(frames: AsyncIterable<Uint8Array>, job: NativeJob, name: string): Promise<FileInput[]> {
    const saved: FileInput[] = [];
    for await (const { body, role, notices } of decodeResponse(frames, job)) {
      const path = join(job.folder, `${saved.length}-${name}`);
      const { size } = await writeToFile(path, body, job.signal);
      saved.push({ ...fileInput(name, size, path), ...(role === undefined ? {} : { role }) });
      this.notices.push(...(notices?.() ?? []));
    }
    return saved;
  }
}
