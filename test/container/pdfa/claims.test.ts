// Tests operations on PDF/A documents: the output must either conform or no longer claim PDF/A. veraPDF judges.
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { Operation } from "../../../src/document/contract/operation.ts";
import { readClaims } from "../../../src/document/formats/xmp/claims.ts";
import { compressPdf } from "../../../src/operations/compress-pdf.ts";
import { flattenTransparency } from "../../../src/operations/container-only/flatten-transparency.ts";
import { linearizePdf } from "../../../src/operations/linearize-pdf.ts";
import { mergePdfs } from "../../../src/operations/merge-pdfs.ts";
import { repairPdfa } from "../../../src/operations/pdfa-steps/repair-pdfa.ts";
import { splitPdf } from "../../../src/operations/split-pdf.ts";
import { PdfBuilder, plainPdf } from "../../fixtures/pdf-builder.ts";
import { machineShelf } from "../../support/font-provider.ts";
import { LEVELS, type LevelName } from "../../support/levels.ts";
import { bytesOf, CONTEXT, inputOf } from "../../support/operations.ts";
import { uncompressed } from "../../support/pdf-readers.ts";
import { whatTheyBreak } from "../../support/verapdf.ts";

const ALL = { text: "all", items: [{ first: 1, last: "last" }] } as const;
const context = { ...CONTEXT, heapLimitBytes: 2 ** 29, fonts: machineShelf };

interface Made {
  readonly pdfs: readonly Uint8Array[];
  /** Codes of the notices. */
  readonly codes: readonly string[];
}

async function made<P>(operation: Operation<P>, pdfs: readonly Uint8Array[], params: P): Promise<Made> {
  const outputs: Uint8Array[] = [];
  const codes: string[] = [];
  const inputs = pdfs.map((pdf) => inputOf(pdf));
  for await (const output of operation.run(inputs, params, context)) {
    outputs.push(await bytesOf(output));
    codes.push(...(output.notices?.() ?? []).map(({ code }) => code));
  }
  return { pdfs: outputs, codes };
}
const archived = async (pdf: Uint8Array, level: LevelName) =>
  (await made(repairPdfa, [pdf], { level: LEVELS[level], failures: [] })).pdfs[0]!;
const merged = (...pdfs: Uint8Array[]) => made(mergePdfs, pdfs, { pages: pdfs.map(() => ALL) });

function transparent(color: string): Uint8Array {
  const builder = new PdfBuilder();
  builder.page(`${color} 20 20 80 80 re f /G gs 60 60 80 80 re f (`, "", "/ExtGState<</G<</ca .5>>>>");
  return builder.bytes();
}

test("claims are true after each operation, or gone", async () => {
  const a1 = await archived(plainPdf("A", "B"), "1b");
  const u2 = await archived(plainPdf("A", "B"), "2u");
  const b3 = await archived(plainPdf("A", "B"), "3b");
  const [rgb, cmyk] = [await archived(transparent("1 0 0 rg"), "2b"), await archived(transparent("0 1 0 0 k"), "2b")];
  const results: { readonly name: string; readonly pdf: Uint8Array; readonly claim: string | undefined }[] = [];
  const keep = (name: string, claim: string | undefined, { pdfs, codes }: Made) => {
    for (const pdf of pdfs) results.push({ name, pdf, claim });
    expect([name, codes.includes("claims-removed")]).toEqual([name, claim === undefined || name.includes("weaker")]);
  };
  for (const [claim, pdf] of [
    ["PDF/A-1b", a1],
    ["PDF/A-2u", u2],
    ["PDF/A-3b", b3],
    ["PDF/A-2b", cmyk],
  ] as const) {
    keep(`split ${claim}`, claim, await made(splitPdf, [pdf], {}));
    keep(`linearized ${claim}`, claim, await made(linearizePdf, [pdf], {}));
    keep(`merged ${claim}`, claim, await merged(pdf, pdf));
    keep(`compressed ${claim}`, claim, await made(compressPdf, [pdf], { level: "high" }));
  }
  keep("flattened rgb", "PDF/A-2b", await made(flattenTransparency, [rgb], { quality: "low" }));
  keep("flattened cmyk", "PDF/A-2b", await made(flattenTransparency, [cmyk], { quality: "low" }));
  keep("merged with a weaker one", "PDF/A-2b", await merged(u2, rgb));
  keep("merged with a plain one", undefined, await merged(u2, plainPdf("C")));
  keep("merged after a plain one", undefined, await merged(plainPdf("C"), a1));
  keep("merged of two parts", undefined, await merged(a1, u2));
  keep("merged of two intents", undefined, await merged(rgb, cmyk));
  const profile = { objects: { "discard-output-intent": true } };
  keep("compressed without its intent", undefined, await made(compressPdf, [cmyk], { level: "custom", profile }));

  const folder = await mkdtemp(join(tmpdir(), "claims-"));
  try {
    const asked: { readonly name: string; readonly path: string; readonly flavour: string }[] = [];
    for (const { name, pdf, claim } of results) {
      expect([name, readClaims(Buffer.from(uncompressed(pdf), "latin1")).get("PDF/A")]).toEqual([name, claim]);
      const path = join(folder, `${asked.length}.pdf`);
      await writeFile(path, pdf);
      if (claim !== undefined) asked.push({ name, path, flavour: claim.slice("PDF/A-".length) });
    }
    const broken = await whatTheyBreak(asked);
    expect(asked.map(({ name }, index) => [name, broken[index]])).toEqual(asked.map(({ name }) => [name, ""]));
  } finally {
    await rm(folder, { recursive: true });
  }
});
