// POST /compressed-pdf (spec, "POST /compressed-pdf"). What becomes of a document's parts is tested with the operation.
import { beforeAll, describe, expect, test } from "vitest";
import { encrypted, labelledPdf } from "../fixtures/pdfs.ts";
import { certifiedPdf, lockedPdf } from "../fixtures/signed-pdfs.ts";
import { type FormFields, privateClient, upload } from "../support/client.ts";
import { corpusFile } from "../support/corpus.ts";
import { pageTexts, qpdfComplaints } from "../support/pdf-readers.ts";

const PROTECTION = "protection by an owner password was removed";
const client = privateClient();
let pdf: Uint8Array;
beforeAll(async () => {
  pdf = await labelledPdf("P", 20);
});

const post = (fields: FormFields) =>
  client.post("/compressed-pdf", { output: "small", compression_level: "low", ...fields });
const error = async (fields: FormFields) => {
  const { status, body } = await post({ file: upload(pdf), ...fields });
  return [status, body.error];
};
const profile = (text: string) => new File([text], "profile.json", { type: "application/json" });
const custom = (value: unknown) => ({ compression_level: "custom", profile: profile(JSON.stringify(value)) });

describe("200", () => {
  test.each(["low", "medium", "high"])("spec: %s gives a file that is no larger, with the same text", async (level) => {
    const [made] = await client.make("/compressed-pdf", {
      file: upload(pdf),
      output: "small",
      compression_level: level,
    });
    expect([made!.name, made!.type]).toEqual(["small.pdf", "application/pdf"]);
    expect(made!.bytes.length).toBeLessThanOrEqual(pdf.length);
    expect(qpdfComplaints(made!.bytes)).toBe("");
    expect(pageTexts(made!.bytes)).toEqual(pageTexts(pdf));
  });

  test("spec: outputUrl, outputId and inputId are strings; the output can be an input", async () => {
    const { status, body } = await post({ file: upload(pdf) });
    expect([status, typeof body.outputUrl, typeof body.outputId, typeof body.inputId]).toEqual([
      ...[200, "string", "string", "string"],
    ]);
    expect((await post({ id: String(body.outputId) })).status).toBe(200);
  });

  test("spec: custom does what the profile says; keys that are not known are let be", async () => {
    const settings = {
      cleanup: { compression: "compress-entire-file", "optimize-page-content": "on", "convert-lzw-to-flate": "off" },
      "of-another-service": { at: 1 },
    };
    const fields = { file: upload(pdf), output: "a", ...custom(settings) };
    const [made] = await client.make("/compressed-pdf", fields);
    expect(made!.bytes.length).toBeLessThan(pdf.length);
    expect(Buffer.from(made!.bytes).toString("latin1")).toContain("/ObjStm");
  });

  test("a profile with another level is ignored", async () => {
    expect((await post({ file: upload(pdf), profile: profile("no JSON") })).status).toBe(200);
  });

  test("the smaller of input and output is the output", async () => {
    const first = await post({ file: upload(pdf), compression_level: "high" });
    const second = await client.make("/compressed-pdf", {
      id: String(first.body.outputId),
      output: "again",
      compression_level: "high",
    });
    const info = await fetch(String(first.body.outputUrl));
    expect(second[0]!.bytes.length).toBeLessThanOrEqual((await info.arrayBuffer()).byteLength);
  });
});

describe("errors", () => {
  test("spec: 400 for file and id together", async () => {
    const { body } = await post({ file: upload(pdf) });
    expect(await error({ id: String(body.inputId) })).toEqual([
      400,
      "This route will only accept a File or an ID, not both.",
    ]);
  });

  test("spec: output and compression_level are required", async () => {
    const { body } = await client.post("/compressed-pdf", { file: upload(pdf), compression_level: "low" });
    expect(body.error).toBe("The 'output' field is required.");
    const { body: other } = await client.post("/compressed-pdf", { file: upload(pdf), output: "a" });
    expect(other.error).toBe("The 'compression_level' field is required.");
  });

  test.each(["best", "LOW", "0"])("spec: 400 for the compression_level %o", async (level) => {
    expect(await error({ compression_level: level })).toEqual([
      400,
      `${level} is not within the acceptable range for compression_level.`,
    ]);
  });

  test("spec: profile is required when compression_level is custom", async () => {
    const required = [400, "The 'profile' field is required."];
    expect(await error({ compression_level: "custom" })).toEqual(required);
    expect(await error({ compression_level: "custom", profile: profile("") })).toEqual(required);
  });

  test.each(["<xml/>", "{", "{'a': 1}", "\x89PNG"])("spec: 422 for the profile %o", async (text) => {
    expect(await error({ compression_level: "custom", profile: profile(text) })).toEqual([
      422,
      "The 'profile' file provided is not a JSON file, please see documentation for sample profile.",
    ]);
  });

  test.each<[unknown, string]>([
    [
      { images: { color: { downsample: { "trigger-dpi": 225, "target-dpi": 0 } } } },
      "0 is not within the acceptable range for images.color.downsample.target-dpi.",
    ],
    [
      { images: { color: { downsample: { "trigger-dpi": 225 } } } },
      "The 'images.color.downsample.target-dpi' field is required.",
    ],
    [
      { images: { monochrome: { recompress: { type: "JBIG2" } } } },
      "JBIG2 is not within the acceptable range for images.monochrome.recompress.type.",
    ],
    [
      { fonts: { "subset-embedded-fonts": "yes" } },
      "yes is not within the acceptable range for fonts.subset-embedded-fonts.",
    ],
    [{ "pdfa-conversion": { type: "1c" } }, "1c is not within the acceptable range for pdfa-conversion.type."],
    [{ transparency: { quality: "high" } }, "high is not within the acceptable range for transparency.quality."],
    [[1], "[1] is not within the acceptable range for profile."],
  ])("400 for the profile %o, with the path of the key", async (value, sentence) => {
    expect(await error(custom(value))).toEqual([400, sentence]);
  });

  test("spec: 401 when the PDF is password protected", async () => {
    expect(await error({ file: upload(encrypted(pdf, "user", "owner")) })).toEqual([
      401,
      "The input file is password protected and cannot be processed.",
    ]);
  });

  test("400 for what is no PDF", async () => {
    expect((await error({ file: upload("%PDF-1.7\nnothing") }))[0]).toBe(400);
    expect(await error({ file: upload("\x89PNG\r\n\x1a\n") })).toEqual([
      ...[400, "The input file is damaged or is not a PDF."],
    ]);
  });
});

describe("notices", () => {
  const notices = async (bytes: Uint8Array) => (await post({ file: upload(bytes) })).body.notices;
  test.each([
    ["a signed file", lockedPdf(), ["2 digital signatures were removed"]],
    ["a certified one", certifiedPdf(), ["1 digital signature was removed"]],
    ["an owner password", encrypted(certifiedPdf(), "", "owner"), ["1 digital signature was removed", PROTECTION]],
  ])("%s", async (_, bytes, sentences) => {
    expect(await notices(bytes)).toEqual(sentences);
  });

  test("a profile that wants it flattened first", async () => {
    const { body } = await post({ file: upload(lockedPdf()), ...custom({ transparency: { quality: "low-quality" } }) });
    expect(body.notices).toEqual(["2 digital signatures were removed"]);
  });

  test("none where nothing is lost, or nothing is changed", async () => {
    const { body } = await post({ file: upload(pdf) });
    expect(Object.keys(body).toSorted()).toEqual(["inputId", "outputId", "outputUrl"]);
    const { body: again } = await post({ id: String(body.outputId) });
    expect(Object.keys(again)).not.toContain("notices");
  });

  const signed = corpusFile("pdf/minimal-signed-twice-both-created.pdf");
  test.skipIf(!signed)("a real signed file", async () => {
    expect(await notices(signed!)).toEqual(["2 digital signatures were removed"]);
  });
});
