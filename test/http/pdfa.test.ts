// Tests POST /pdfa (spec, "POST /pdfa"), in both variants, in the container. The tests of the strategies check results
// for real documents.
// Contract: docs/api.md#pdfa, #notices, #errors
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { PdfBuilder } from "../fixtures/pdf-builder.ts";
import { encrypted, textPdf } from "../fixtures/pdfs.ts";
import { lockedPdf } from "../fixtures/signed-pdfs.ts";
import { unembeddablePdf } from "../fixtures/unembeddable-pdf.ts";
import { type FormFields, keyedClient, privateClient, upload } from "../support/client.ts";
import { pageTexts } from "../support/pdf-readers.ts";
import { whatTheyBreak } from "../support/verapdf.ts";

const LEVELS = ["PDF/A-1b", "PDF/A-2b", "PDF/A-2u", "PDF/A-3b", "PDF/A-3u"];

const client = privateClient();
const folder = mkdtempSync(join(tmpdir(), "pdfa-test-"));
afterAll(() => rmSync(folder, { recursive: true }));
let pdf: Uint8Array;
beforeAll(async () => {
  pdf = await textPdf(2);
});

const post = (fields: FormFields) => client.post("/pdfa", { output: "kept", output_type: "PDF/A-2b", ...fields });
const error = async (fields: FormFields) => {
  const { status, body } = await post({ file: upload(pdf), ...fields });
  return [status, body.error];
};

let saved = 0;
function asked(bytes: Uint8Array, level: string) {
  const path = join(folder, `${saved++}.pdf`);
  writeFileSync(path, bytes);
  return { path, flavour: level.slice(-2) };
}

describe("200", () => {
  test("spec: each output_type gives a PDF that veraPDF accepts as what was asked for, with its text", async () => {
    const questions = [];
    for (const level of LEVELS) {
      const fields = { file: upload(pdf), output: "kept", output_type: level };
      const [made] = await client.make("/pdfa", fields);
      expect([made!.name, made!.type]).toEqual(["kept.pdf", "application/pdf"]);
      expect(pageTexts(made!.bytes)).toEqual(pageTexts(pdf));
      questions.push(asked(made!.bytes, level));
    }
    expect(await whatTheyBreak(questions)).toEqual(["", "", "", "", ""]);
  });

  test("spec: outputUrl, outputId and inputId are strings; what conforms passes untouched", async () => {
    const { status, body } = await post({ file: upload(pdf) });
    expect([status, typeof body.outputUrl, typeof body.outputId, typeof body.inputId]).toEqual([
      ...[200, "string", "string", "string"],
    ]);
    const { body: again } = await post({ id: String(body.outputId) });
    expect(Object.keys(again).toSorted()).toEqual(["inputId", "outputId", "outputSize", "outputUrl"]);
    const [made] = await client.make("/pdfa", { id: String(body.outputId), output: "a", output_type: "PDF/A-2b" });
    const before = await fetch(String(body.outputUrl));
    expect(Buffer.from(made!.bytes)).toEqual(Buffer.from(await before.arrayBuffer()));
  });

  test("spec: the keyed variant has it too", async () => {
    const [made] = await keyedClient().make("/pdfa", { file: upload(pdf), output: "a", output_type: "PDF/A-3b" });
    expect(await whatTheyBreak([asked(made!.bytes, "PDF/A-3b")])).toEqual([""]);
  });

  test("an owner password alone hinders nothing, and goes", async () => {
    const file = upload(encrypted(pdf, "", "owner"));
    const [made] = await client.make("/pdfa", { file, output: "a", output_type: "PDF/A-2b" });
    expect(await whatTheyBreak([asked(made!.bytes, "PDF/A-2b")])).toEqual([""]);
  });

  test("spec: rasterize_if_errors_encountered makes a picture of the page with the problem", async () => {
    const file = upload(unembeddablePdf());
    const fields = { file, output: "a", output_type: "PDF/A-2b", rasterize_if_errors_encountered: "on" };
    const [made] = await client.make("/pdfa", fields);
    expect(await whatTheyBreak([asked(made!.bytes, "PDF/A-2b")])).toEqual([""]);
  });
});

describe("notices", () => {
  test("signatures, protection, fonts", async () => {
    const { status, body } = await post({ file: upload(encrypted(lockedPdf(), "", "owner")) });
    expect([status, body.notices]).toEqual([
      200,
      [
        "2 digital signatures were removed",
        "protection by an owner password was removed",
        "1 font was substituted: Helvetica (replaced by NimbusSans-Regular, same widths)",
      ],
    ]);
  });

  test("what a level forbids: scripts, other actions, multimedia, attachments", async () => {
    const lost = async (level: string) =>
      (await post({ file: upload(forbiddenPdf()), output_type: level })).body.notices;
    const always = ["JavaScript was removed", "1 action was removed", "1 multimedia annotation was removed"];
    const font = "1 font was substituted: Helvetica (replaced by NimbusSans-Regular, same widths)";
    expect(await lost("PDF/A-1b")).toEqual(["1 attachment was removed: data.csv", ...always, font]);
    expect(await lost("PDF/A-2b")).toEqual(["1 attachment was removed: data.csv", ...always, font]);
    expect(await lost("PDF/A-3b")).toEqual([...always, font]);
  });

  test("pages that become pictures", async () => {
    const { body } = await post({ file: upload(unembeddablePdf()), rasterize_if_errors_encountered: "on" });
    expect(body.notices).toContain("page 2 became a picture");
  });
});

function forbiddenPdf(): Uint8Array {
  const builder = new PdfBuilder();
  const file = builder.stream("a,b", "/Type/EmbeddedFile");
  const attachment = builder.add(`<</Type/Filespec/F(data.csv)/UF(data.csv)/EF<</F ${file}>>>>`);
  const movie = builder.add("<</Type/Annot/Subtype/Movie/Rect[9 9 50 50]/Movie<</F(a.mov)>>>>");
  const launch = "<</Type/Annot/Subtype/Link/Rect[60 9 90 50]/A<</S/Launch/F(a.exe)>>>>";
  builder.page("Forbidden", `/Annots[${movie} ${builder.add(launch)}]`);
  const names = `/Names<</EmbeddedFiles<</Names[(data.csv) ${attachment}]>>>>`;
  builder.catalog = `${names}/OpenAction<</S/JavaScript/JS(app.alert\\(1\\))>>`;
  return builder.bytes();
}

describe("errors", () => {
  test("spec: an error is returned where a page has a problem and rasterize_if_errors_encountered is off", async () => {
    for (const off of [{}, { rasterize_if_errors_encountered: "off" }]) {
      const [status, sentence] = await error({ file: upload(unembeddablePdf()), ...off });
      expect([status, sentence]).toEqual([
        422,
        expect.stringMatching(
          /^The input file cannot be converted to PDF\/A-2b: rule 6(\.\d+)+ \(test \d+\) is broken on page 2\.$/,
        ),
      ]);
    }
  });

  test.each([
    ["output_type", "PDF/A-5"],
    ["output_type", "pdf/a-2b"],
    ["rasterize_if_errors_encountered", "yes"],
  ])("spec: 400 for %s %s", async (parameter, value) => {
    expect(await error({ [parameter]: value })).toEqual([
      400,
      `${value} is not within the acceptable range for ${parameter}.`,
    ]);
  });

  test("spec: output and output_type are required", async () => {
    const { body } = await client.post("/pdfa", { file: upload(pdf), output_type: "PDF/A-2b" });
    expect(body.error).toBe("The 'output' field is required.");
    const { body: other } = await client.post("/pdfa", { file: upload(pdf), output: "a" });
    expect(other.error).toBe("The 'output_type' field is required.");
  });
});
