// Checks with qpdf and poppler that separately encrypted attachments are never copied in encrypted form.
// Contract: docs/api.md#notices
import { execFileSync } from "node:child_process";
import { describe, expect, test } from "vitest";
import type { Operation, Output } from "../../../src/document/contract/operation.ts";
import { compressPdf } from "../../../src/operations/compress-pdf.ts";
import { linearizePdf } from "../../../src/operations/linearize-pdf.ts";
import { mergePdfs } from "../../../src/operations/merge-pdfs.ts";
import { rasterizePdf } from "../../../src/operations/rasterize-pdf.ts";
import { splitPdf } from "../../../src/operations/split-pdf.ts";
import { ATTACHED, attachmentPdf, KINDS, PAGE_TEXT } from "../../fixtures/encrypted-attachments.ts";
import { bytesOf, CONTEXT, inputOf, outputsOf } from "../../support/operations.ts";
import { pageTexts, qpdfComplaints, withFile } from "../../support/pdf-readers.ts";

const ALL = { text: "1-last", items: [{ first: 1, last: "last" }] } as const;
const PNG = { format: "png", colorModel: "gray", dpi: 12, pages: ALL } as const;

/** Returns the attachment as qpdf reads it, because poppler does not support crypt filters of attachments. */
const attachedTo = (pdf: Uint8Array) =>
  withFile(pdf, (path) => execFileSync("qpdf", ["--show-attachment=a.txt", path], { encoding: "latin1" }));

const hasAttachments = (pdf: Uint8Array) =>
  withFile(pdf, (path) => !execFileSync("pdfdetach", ["-list", path], { encoding: "utf8" }).startsWith("0"));

async function run<P>(operation: Operation<P>, pdf: Uint8Array, params: P) {
  const outputs: { pdf: Uint8Array; notices: string[] }[] = [];
  for await (const output of operation.run([inputOf(pdf)], params, CONTEXT) as AsyncIterable<Output>) {
    const bytes = await bytesOf(output);
    outputs.push({ pdf: bytes, notices: (output.notices?.() ?? []).map(({ code }) => code) });
  }
  return outputs[0]!;
}

const written = async (pdf: Uint8Array) => [
  await run(mergePdfs, pdf, { pages: [ALL] }),
  await run(splitPdf, pdf, { pages: [ALL] }),
  await run(compressPdf, pdf, { level: "custom", profile: { optimization: {} } } as never),
  await run(linearizePdf, pdf, {}),
];

describe("the attachment is in the clear, or still protected", () => {
  test.each(Object.entries(KINDS))("%s", async (_, kind) => {
    const pdf = attachmentPdf(kind);
    for (const output of await written(pdf)) {
      expect(pageTexts(output.pdf)).toEqual([PAGE_TEXT]);
      expect(attachedTo(output.pdf)).toBe(ATTACHED);
      expect(qpdfComplaints(output.pdf)).toBe("");
    }
  });
});

test("pages open without the password of the attachments, which no copy without protection has", async () => {
  for (const kind of Object.values(KINDS).filter(({ isPageEncrypted }) => !isPageEncrypted)) {
    const pdf = attachmentPdf(kind, "secret");
    expect(await outputsOf(rasterizePdf, [pdf], PNG)).toHaveLength(1);
    for (const output of await written(pdf)) {
      expect(pageTexts(output.pdf)).toEqual([PAGE_TEXT]);
      const isCopy = !Buffer.from(output.pdf).equals(Buffer.from(pdf));
      if (isCopy) expect(output.notices).toContain("attachments-removed");
      if (isCopy) expect(hasAttachments(output.pdf)).toBe(false);
    }
  }
});
