// Tests POST /flattened-transparencies-pdf (spec, "POST /flattened-transparencies-pdf", keyed variant only). The
// operation's own tests check the appearance of the pages.
// Contract: docs/api.md#flattened-transparencies-pdf, #notices, #inputs
import { beforeAll, describe, expect, test } from "vitest";
import { PdfBuilder } from "../fixtures/pdf-builder.ts";
import { labeledPdf } from "../fixtures/pdfs.ts";
import { lockedPdf } from "../fixtures/signed-pdfs.ts";
import { type FormFields, keyedClient, upload } from "../support/client.ts";
import { corpusFile } from "../support/corpus.ts";
import { pageTexts } from "../support/pdf-readers.ts";
import { transparencyIn } from "../support/transparency-scan.ts";

const client = keyedClient();
const builder = new PdfBuilder();
builder.page(
  ".8 0 0 rg 20 20 150 150 re f BT /F 24 Tf 30 90 Td (below) Tj ET /G gs 0 0 1 rg 90 60 150 100 re f",
  "",
  "/ExtGState<</G<</ca .5/BM/Multiply>>>>",
);
const transparent = builder.bytes();
let opaque: Uint8Array;
beforeAll(async () => {
  opaque = await labeledPdf("P", 3);
});
const post = (fields: FormFields) => client.post("/flattened-transparencies-pdf", { output: "flat", ...fields });
const error = async (fields: FormFields) => {
  const { status, body } = await post(fields);
  return [status, body.error];
};

describe("200", () => {
  test("spec: outputUrl, outputId, inputId are strings; nothing is transparent", async () => {
    const { status, body } = await post({ file: upload(transparent) });
    expect([status, typeof body.outputUrl, typeof body.outputId, typeof body.inputId]).toEqual([
      ...[200, "string", "string", "string"],
    ]);
    const fields = { id: String(body.inputId), output: "flat" };
    const [made] = await client.make("/flattened-transparencies-pdf", fields);
    expect([made!.name, made!.type]).toEqual(["flat.pdf", "application/pdf"]);
    expect(transparencyIn(transparent)).not.toEqual([]);
    expect(transparencyIn(made!.bytes)).toEqual([]);
    expect(pageTexts(made!.bytes)).toEqual(pageTexts(transparent));
  });

  test.each(["low", "medium", "high"])("spec: quality %s", async (quality) => {
    const fields = { file: upload(transparent), output: "flat", quality };
    const [made] = await client.make("/flattened-transparencies-pdf", fields);
    expect(transparencyIn(made!.bytes)).toEqual([]);
  });

  test("a file without transparency stays as it is, byte for byte", async () => {
    const [made] = await client.make("/flattened-transparencies-pdf", { file: upload(opaque), output: "flat" });
    expect(Buffer.compare(made!.bytes, opaque)).toBe(0);
  });
});

describe("errors", () => {
  test("spec: 400 for file and id together", async () => {
    const { body } = await post({ file: upload(opaque) });
    expect(await error({ file: upload(opaque), id: String(body.inputId) })).toEqual([
      400,
      "This route will only accept a File or an ID, not both.",
    ]);
  });

  test("spec: output is required; quality has three values", async () => {
    const { body } = await client.post("/flattened-transparencies-pdf", { file: upload(opaque) });
    expect(body.error).toBe("The 'output' field is required.");
    expect(await error({ file: upload(opaque), quality: "best" })).toEqual([
      400,
      "best is not within the acceptable range for quality.",
    ]);
  });

  test.skipIf(!corpusFile("pdf/minimal-signed-twice-both-created.pdf"))(
    "a signed file without transparency keeps its signatures",
    async () => {
      const signed = corpusFile("pdf/minimal-signed-twice-both-created.pdf")!;
      const [made] = await client.make("/flattened-transparencies-pdf", { file: upload(signed), output: "flat" });
      expect(Buffer.compare(made!.bytes, signed)).toBe(0);
    },
  );
});

test("notices: a signed file with transparency loses its signatures, and keeps what they show", async () => {
  const { status, body } = await post({ file: upload(lockedPdf()) });
  expect([status, body.notices]).toEqual([200, ["2 digital signatures were removed"]]);
  const made = new Uint8Array(await (await fetch(String(body.outputUrl))).arrayBuffer());
  expect(pageTexts(made)).toEqual(pageTexts(lockedPdf()));
  const { body: untouched } = await post({ file: upload(opaque) });
  expect(Object.keys(untouched)).not.toContain("notices");
});
