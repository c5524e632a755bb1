// Tests POST /compressed-pdf (spec, "POST /compressed-pdf"). The operation's own tests check the effect on the parts of
// a document.
// Contract: docs/api.md#compressed-pdf, #notices, #inputs
import { beforeAll, describe, expect, test } from "vitest";
import { encrypted, labeledPdf } from "../fixtures/pdfs.ts";
import { certifiedPdf, lockedPdf } from "../fixtures/signed-pdfs.ts";
import { type FormFields, privateClient, upload } from "../support/client.ts";
import { corpusFile } from "../support/corpus.ts";
import { eventually } from "../support/eventually.ts";
import { pageTexts, qpdfComplaints } from "../support/pdf-readers.ts";

const PROTECTION = "protection by an owner password was removed";
const client = privateClient();
let pdf: Uint8Array;
beforeAll(async () => {
  pdf = await labeledPdf("P", 20);
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

  test("spec: target_size is not exceeded, or the answer is 422 with what was reached", async () => {
    const targetSize = Math.floor(pdf.length * 0.9);
    const fields = { file: upload(pdf), compression_level: "low", output: "a" };
    const [made] = await client.make("/compressed-pdf", { ...fields, target_size: `${targetSize / 1024}KB` });
    expect(made!.bytes.length).toBeLessThanOrEqual(targetSize);
    expect(pageTexts(made!.bytes)).toEqual(pageTexts(pdf));
    expect(await error({ ...fields, target_size: "100 B" })).toEqual([
      422,
      expect.stringMatching(/^The file cannot be made smaller than [\d,]+ bytes, which exceeds target_size\.$/),
    ]);
    expect(await error({ ...fields, target_size: "2 megabytes" })).toEqual([
      400,
      "2 megabytes is not within the acceptable range for target_size.",
    ]);
  });

  test("what a profile says to another level than custom is ignored", async () => {
    for (const text of ["{}", "[]", '{"fonts":{"subset-embedded-fonts":"yes"}}']) {
      expect((await post({ file: upload(pdf), profile: profile(text) })).status).toBe(200);
    }
  });

  test("a profile of almost 1 MiB, as a file, as a field and in a JSON body", async () => {
    const settings = { cleanup: { compression: "compress-entire-file" }, "of-another-service": "ä".repeat(500_000) };
    const fields = { compression_level: "custom", profile: JSON.stringify(settings) };
    expect((await post({ file: upload(pdf), ...custom(settings) })).status).toBe(200);
    const { status, body } = await post({ file: upload(pdf), ...fields });
    expect(status).toBe(200);
    const headers = { "Content-Type": "application/json" };
    for (const sent of [fields, { ...fields, profile: settings }]) {
      const json = JSON.stringify({ id: body.inputId, output: "a", ...sent });
      expect((await fetch(`${client.url}/compressed-pdf`, { method: "POST", headers, body: json })).status).toBe(200);
    }
  });

  test("the answer tells both sizes", async () => {
    const { body } = await post({ file: upload(pdf) });
    expect(body.inputSize).toBe(pdf.length);
    const info = await fetch(String(body.outputUrl).replace("format=file", "format=info"));
    expect(body.outputSize).toBe(((await info.json()) as { size: number }).size);
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

describe("profile_id", () => {
  const stored = async (content: string | Uint8Array<ArrayBuffer>): Promise<string> => {
    const { body } = await client.post("/upload", { file: new File([content], "profile.json") });
    return (body as unknown as { files: [{ id: string }] }).files[0].id;
  };
  const settings = { objects: { "discard-bookmarks": "on" } };

  test("a stored profile does what the same profile does in a field, in every encoding, also later", async () => {
    const { body } = await post({ file: upload(pdf), ...custom(settings) });
    const fields = {
      id: String(body.inputId),
      compression_level: "custom",
      profile_id: await stored(JSON.stringify(settings)),
    };
    const bodies = [
      JSON.stringify({ ...fields, output: "small" }),
      new URLSearchParams({ ...fields, output: "small" }),
    ];
    for (const sent of bodies) {
      const type = typeof sent === "string" ? { headers: { "Content-Type": "application/json" } } : {};
      const answer = await fetch(`${client.url}/compressed-pdf`, { method: "POST", body: sent, ...type });
      expect([answer.status, await answer.json()]).toMatchObject([200, { outputSize: body.outputSize }]);
    }
    expect((await post(fields)).body.outputSize).toBe(body.outputSize);
    const headers = { Prefer: "respond-async" };
    const answer = await fetch(`${client.url}/compressed-pdf`, { method: "POST", body: bodies[1]!, headers });
    const { requestId } = (await answer.json()) as { requestId: string };
    await eventually(async () => {
      const status = await fetch(`${client.url}/request-status/${requestId}`);
      expect(await status.json()).toMatchObject({ status: "completed", outputSize: body.outputSize });
    });
  });

  test("errors: the field and the id, an unknown id, and what a profile may not be", async () => {
    const NOT_JSON = "The 'profile' file provided is not a JSON file, please see documentation for sample profile.";
    const both = { ...custom(settings), profile_id: await stored("{}") };
    expect(await error(both)).toEqual([400, "This route will only accept a File or an ID, not both."]);
    const by = async (profile_id: string) => error({ compression_level: "custom", profile_id });
    expect(await by(`1${crypto.randomUUID()}`)).toEqual([404, "That file does not exist"]);
    expect(await by("x")).toEqual([404, "That file does not exist"]);
    expect(await by("")).toEqual([400, "The 'profile' field is required."]);
    for (const content of ["", "<xml/>", Buffer.from("\x89PNG\r\n\x1a\n", "latin1"), new Uint8Array(3_000_000)]) {
      expect(await by(await stored(content))).toEqual([422, NOT_JSON]);
    }
    const large = JSON.stringify({ a: "☃".repeat(400_000) });
    expect(await by(await stored(large))).toEqual([413, "The 'profile' field is too large."]);
    const wrong = JSON.stringify({ images: 5 });
    expect(await by(await stored(wrong))).toEqual([400, "5 is not within the acceptable range for images."]);
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
    expect(await error({ compression_level: "custom", profile: "" })).toEqual(required);
    expect(await error({ compression_level: "custom", profile: new File([], "") })).toEqual(required);
  });

  const NOT_JSON = "The 'profile' file provided is not a JSON file, please see documentation for sample profile.";
  const png = Buffer.from("\x89PNG\r\n\x1a\n\0\0\0\rIHDR", "latin1");
  test.each<[string, string | Uint8Array<ArrayBuffer>]>([
    ["XML", "<xml/>"],
    ["half an object", "{"],
    ["an object of a programming language", "{'a': 1}"],
    ["an empty file", ""],
    ["blanks", " \n\t "],
    ["UTF-16", Buffer.from('\ufeff{"a":1}', "utf16le")],
    ["a picture", png],
    ["a picture of 200 KB", Buffer.concat([png, Buffer.alloc(200_000, 7)])],
    ["a PDF of 200 KB", Buffer.from(`%PDF-1.7\n${"1 0 obj <</Length 1>> endobj\n".repeat(7_000)}`)],
    ["3 MB of text", "Lorem ipsum dolor sit amet. ".repeat(110_000)],
    ["3 MB that begin as JSON does", `{"a": [1, 2, {"b": "c"}], no more JSON ${"x".repeat(3_000_000)}`],
  ])("spec: 422 for a profile that is %s, whatever the level", async (_, content) => {
    const file = new File([content], "profile.json");
    for (const level of ["custom", "low"]) {
      expect(await error({ compression_level: level, profile: file })).toEqual([422, NOT_JSON]);
    }
  });

  test.each([
    ["in a text", JSON.stringify({ a: "x".repeat(2_000_000) })],
    [
      "in many keys",
      JSON.stringify(Object.fromEntries(Array.from({ length: 200_000 }, (_, key) => [`k${key}`, [key]]))),
    ],
    ["in letters of several bytes", JSON.stringify({ a: "☃".repeat(400_000) })],
  ])("413 for a profile of more than 1 MiB of JSON, %s", async (_, text) => {
    for (const level of ["custom", "high"]) {
      expect(await error({ compression_level: level, profile: profile(text) })).toEqual([
        ...[413, "The 'profile' field is too large."],
      ]);
    }
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
    expect(Object.keys(body).toSorted()).toEqual(["inputId", "inputSize", "outputId", "outputSize", "outputUrl"]);
    const { body: again } = await post({ id: String(body.outputId) });
    expect(Object.keys(again)).not.toContain("notices");
  });

  const signed = corpusFile("pdf/minimal-signed-twice-both-created.pdf");
  test.skipIf(!signed)("a real signed file", async () => {
    expect(await notices(signed!)).toEqual(["2 digital signatures were removed"]);
  });
});
