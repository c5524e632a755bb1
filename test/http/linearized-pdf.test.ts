// Tests POST /linearized-pdf (spec, "POST /linearized-pdf", keyed variant only). The operation's own tests check the
// content.
// Contract: docs/api.md#linearized-pdf, #notices, #inputs
import { beforeAll, describe, expect, test } from "vitest";
import { encrypted, labeledPdf } from "../fixtures/pdfs.ts";
import { lockedPdf } from "../fixtures/signed-pdfs.ts";
import { beginning } from "../support/beginning.ts";
import { type FormFields, keyedClient, upload } from "../support/client.ts";
import { said } from "../support/pdf-json.ts";
import { infoOf, linearizationOf, pageTexts } from "../support/pdf-readers.ts";

const client = keyedClient();
let pdf: Uint8Array;
beforeAll(async () => {
  pdf = await labeledPdf("P", 20);
});
const post = (fields: FormFields) => client.post("/linearized-pdf", { output: "fast", ...fields });
const error = async (fields: FormFields) => {
  const { status, body } = await post(fields);
  return [status, body.error];
};

describe("200", () => {
  test("spec: outputUrl, outputId, inputId are strings; the file is linearized", async () => {
    const { status, body } = await post({ file: upload(pdf) });
    expect([status, typeof body.outputUrl, typeof body.outputId, typeof body.inputId]).toEqual([
      ...[200, "string", "string", "string"],
    ]);
    const [made] = await client.make("/linearized-pdf", { id: String(body.inputId), output: "fast" });
    expect([made!.name, made!.type]).toEqual(["fast.pdf", "application/pdf"]);
    expect(linearizationOf(made!.bytes)).toBe("no linearization errors");
    expect(pageTexts(made!.bytes)).toEqual(pageTexts(pdf));
  });

  test("an owner password alone hinders nothing, and still protects", async () => {
    const [made] = await client.make("/linearized-pdf", { file: upload(encrypted(pdf, "", "owner")), output: "fast" });
    expect(infoOf(made!.bytes).Encrypted).toMatch(/^yes/);
  });
});

describe("errors", () => {
  test("spec: output is required", async () => {
    const { body } = await client.post("/linearized-pdf", { file: upload(pdf) });
    expect(body.error).toBe("The 'output' field is required.");
  });

  test("400 for what is no PDF, and for one that is damaged beyond repair", async () => {
    expect(await error({ file: upload("\x89PNG\r\n\x1a\n") })).toEqual([
      ...[400, "The input file is damaged or is not a PDF."],
    ]);
    expect(await error({ file: upload(pdf.subarray(0, 300)) })).toEqual([
      ...[400, "The input file is damaged or is not a PDF."],
    ]);
    expect(await error({ file: upload("<html>") })).toEqual([
      ...[400, beginning("Uploaded file is not valid input for this route.")],
    ]);
  });
});

describe("notices", () => {
  test("a signed file loses its signatures, and the answer says so", async () => {
    const { status, body } = await post({ file: upload(lockedPdf()) });
    expect([status, body.notices]).toEqual([200, ["2 digital signatures were removed"]]);
    const response = await fetch(String(body.outputUrl));
    const made = new Uint8Array(await response.arrayBuffer());
    expect(linearizationOf(made)).toBe("no linearization errors");
    expect(said(made, "pdfsig")).not.toContain("Signature #");
  });

  test("an owner password stays, and nothing is told", async () => {
    const { body } = await post({ file: upload(encrypted(pdf, "", "owner")) });
    expect(Object.keys(body).toSorted()).toEqual(["inputId", "outputId", "outputSize", "outputUrl"]);
  });
});
