// Tests POST /steps: the order of the steps, their documents and further files, and the errors that name a step.
// Contract: docs/api.md#steps, #asynchronous-jobs
import { unzipSync, zipSync } from "fflate";
import { beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { xlsx } from "../fixtures/office.ts";
import { labeledPdf } from "../fixtures/pdfs.ts";
import { pattern, png } from "../fixtures/pictures.ts";
import { createClient, type FormFields, type MadeFile, privateClient, upload } from "../support/client.ts";
import { eventually } from "../support/eventually.ts";
import { pageTexts } from "../support/pdf-readers.ts";
import { startService } from "../support/service.ts";
import { openStoredFiles } from "../support/stored-files.ts";

const client = privateClient();
let pdf: Uint8Array;
beforeAll(async () => {
  pdf = await labeledPdf("A", 4);
});

type Steps = readonly Readonly<Record<string, object>>[];
const fields = (steps: Steps | string, more: FormFields = {}): FormFields => ({
  ...{ file: upload(pdf, "a.pdf"), steps: typeof steps === "string" ? steps : JSON.stringify(steps) },
  ...more,
});
const make = (steps: Steps, more?: FormFields): Promise<MadeFile[]> => client.make("/steps", fields(steps, more));
const textsOf = (files: readonly Pick<MadeFile, "bytes">[]) => files.map(({ bytes }) => pageTexts(bytes).join(" "));
const picture = () => upload(png(pattern(3), { bits: 8, colorType: 2 }), "picture.png");

describe("order", () => {
  test("a step works on the result of the one before, and only the last result is stored", async () => {
    const service = await startService({ target: "host", variant: "private" });
    onTestFinished(() => service.stop());
    await using files = await openStoredFiles(service);
    const steps = [{ "split-pdf": { pages: ["3,1,2"] } }, { "rotated-pdf": { angle: 90 } }, { "merged-pdf": {} }];
    const { body } = await createClient(service.url).post("/steps", fields(steps, { output: "made" }));
    expect(body).toMatchObject({ inputId: [expect.any(String)], outputSize: expect.any(Number) });
    expect(await files.count()).toBe(2);
    const response = await fetch(String(body.outputUrl));
    expect(response.headers.get("Content-Disposition")).toBe("attachment; filename=made.pdf");
    expect(pageTexts(new Uint8Array(await response.arrayBuffer()))).toEqual(["A3", "A1", "A2"]);
  });

  test("later steps run for each document that a step divided, and others join them", async () => {
    const divided = [{ "split-pdf": { pages: ["1-2", "4"] } }, { "rotated-pdf": { angle: 180 } }];
    const parts = await make(divided);
    expect([textsOf(parts), parts.map(({ name }) => name)]).toEqual([
      ["A1 A2", "A4"],
      ["a_steps_1.pdf", "a_steps_2.pdf"],
    ]);
    const [joined] = await make([...divided, { png: { resolution: 20 } }, { zip: {} }]);
    expect(Object.keys(unzipSync(joined!.bytes))).toEqual(["a_1_1.png", "a_1_2.png", "a_2.png"]);
    const merged = await make([...divided, { "merged-pdf": { pages: "1" } }]);
    expect(textsOf(merged)).toEqual(["A1 A4"]);
  });

  test("documents of several types become PDFs, each by its own way", async () => {
    const html = upload("<title>x</title><p>From HTML</p>", "page.html");
    const files = { file: [html, picture(), upload("{\\rtf1 From RTF}", "note.rtf")] };
    const [merged] = await make([{ pdf: {} }, { "merged-pdf": {} }], files);
    expect(pageTexts(merged!.bytes).map((text) => text.trim())).toEqual(["From HTML", "", "From RTF"]);
    const drawn = await make([
      { png: { resolution: 20, pages: "1" } },
      { pdf: {} },
      { "pdf-info": { queries: "page_count" } },
    ]);
    expect(JSON.parse(Buffer.from(drawn[0]!.bytes).toString())).toMatchObject({ page_count: 1 });
  });

  test("the entries of an archive become PDFs, each by its own way, and PDFs stay", async () => {
    const archive = zipSync({
      "a.html": Buffer.from("<p>From HTML"),
      "b.rtf": Buffer.from("{\\rtf1 From RTF}"),
      "c.PDF": pdf,
      "notes/README": Buffer.from("From text"),
    });
    const files = { file: upload(archive, "documents.zip") };
    const texts = ["From HTML", "From RTF", "A1 A2 A3 A4", "From text"];
    const [packed] = await make([{ unzip: {} }, { pdf: {} }, { zip: {} }], files);
    const converted = Object.entries(unzipSync(packed!.bytes)).map(([name, bytes]) => ({ name, bytes }));
    expect(converted.map(({ name }) => name)).toEqual(["a.pdf", "b.pdf", "c.pdf", "README.pdf"]);
    expect(textsOf(converted).map((text) => text.trim())).toEqual(texts);
    const [merged] = await make([{ unzip: {} }, { "merged-pdf": {} }], {
      file: upload(zipSync({ "b.rtf": Buffer.from("{\\rtf1 From RTF}"), "c.pdf": pdf }), "documents.zip"),
    });
    expect(pageTexts(merged!.bytes).map((text) => text.trim())).toEqual(["From RTF", "A1", "A2", "A3", "A4"]);
    const [printed] = await make([{ markdown: {} }, { pdf: {} }]);
    expect(textsOf([printed!])[0]).toMatch(/A1\s+A2/);
  });

  test("steps name their further files, or have their ids", async () => {
    const stamp = await labeledPdf("STAMP", 1);
    const byName = [{ "watermarked-pdf": { watermark_file: "stamp.pdf", pages: "2" } }];
    const [named] = await make(byName, { step_files: upload(stamp, "stamp.pdf") });
    expect(pageTexts(named!.bytes).map((text) => text.includes("STAMP"))).toEqual([false, true, false, false]);
    const { body } = await client.post("/upload", { file: upload(stamp, "stamp.pdf") });
    const { id } = (body as unknown as { files: { id: string }[] }).files[0]!;
    const [byId] = await make([{ "watermarked-pdf": { watermark_file_id: id } }, { "split-pdf": { pages: ["1"] } }]);
    expect(pageTexts(byId!.bytes)[0]).toContain("STAMP");
  });

  test("a result of one step is the response, if the client accepts its type", async () => {
    const form = new FormData();
    form.append("file", upload(pdf, "a.pdf"));
    form.append("steps", '[{"rotated-pdf": {"angle": 90}}, {"png": {"pages": "1", "resolution": 20}}]');
    const typeFor = async (Accept: string) => {
      const response = await fetch(`${client.url}/steps`, { method: "POST", body: form, headers: { Accept } });
      return [response.status, response.headers.get("Content-Type")];
    };
    expect(await typeFor("image/png")).toEqual([200, "image/png"]);
    expect(await typeFor("application/zip")).toEqual([200, "application/zip"]);
    expect(await typeFor("application/pdf")).toEqual([406, "application/json"]);
  });
});

test("an asynchronous request tells its steps, and can be canceled", async () => {
  const submit = async (steps: Steps) => {
    const headers = { Prefer: "respond-async", "Content-Type": "application/json" };
    const { body } = await client.post("/upload", { file: upload(pdf, "a.pdf") });
    const { id } = (body as unknown as { files: { id: string }[] }).files[0]!;
    const json = JSON.stringify({ id: [id], steps });
    const response = await fetch(`${client.url}/steps`, { method: "POST", body: json, headers });
    expect(response.status).toBe(202);
    return `${client.url}/request-status/${((await response.json()) as { requestId: string }).requestId}`;
  };
  const many = Array.from({ length: 12 }, () => ({ "rasterized-pdf": { resolution: 600 } }));
  const status = await submit(many);
  await eventually(async () => {
    const job = (await (await fetch(status)).json()) as { stepsDone?: number; stepsTotal?: number };
    expect(job).toMatchObject({ stepsDone: expect.any(Number), stepsTotal: 12 });
    expect(job.stepsDone).toBeGreaterThan(0);
  });
  expect((await fetch(status, { method: "DELETE" })).status).toBe(204);
  expect((await fetch(status)).status).toBe(404);
});

const LIST = "It must be a list of 1 to 20 steps.";
const IN = (step: number, name: string) => `The error is in step ${step}, ${name}.`;
test.each<[what: string, steps: Steps | string, error: string, status?: number]>([
  ["no list", "{}", `The value is not within the acceptable range for steps. ${LIST}`],
  ["no JSON", "[", "The value is not within the acceptable range for steps. It is not JSON."],
  ["an empty list", [], `The value is not within the acceptable range for steps. ${LIST}`],
  ["a long list", Array(21).fill({ zip: {} }), `The value is not within the acceptable range for steps. ${LIST}`],
  [
    "an unknown endpoint",
    [{ nothing: {} }],
    "The value is not within the acceptable range for steps.0.nothing. The error is in step 1.",
  ],
  [
    "an endpoint without documents",
    [{ html: {} }],
    "The value is not within the acceptable range for steps.0.html. The error is in step 1.",
  ],
  [
    "two endpoints",
    [{ zip: {} }, { png: {}, jpg: {} }],
    "The value is not within the acceptable range for steps.1. The error is in step 2.",
  ],
  [
    "a wrong field, before any step runs",
    [{ pdfa: { output_type: "PDF/A-2b" } }, { png: { resolution: 5 } }],
    `5 is not within the acceptable range for resolution. ${IN(2, "png")}`,
  ],
  [
    "a missing field",
    [{ png: {} }, { zip: {} }, { "rotated-pdf": {} }],
    `The 'angle' field is required. ${IN(3, "rotated-pdf")}`,
  ],
  [
    "a document of its own",
    [{ "rotated-pdf": { angle: 90, url: "https://example.com/a.pdf" } }],
    "https://example.com/a.pdf is not within the acceptable range for url. " +
      `The request has the documents, not the step. ${IN(1, "rotated-pdf")}`,
  ],
  [
    "types that do not fit",
    [{ png: {} }, { "rotated-pdf": { angle: 90 } }],
    "Uploaded file is not valid input for this route. Step 1 makes a PNG image; rotated-pdf takes PDF. " +
      IN(2, "rotated-pdf"),
  ],
  [
    "a document that the first step does not take",
    [{ unzip: {} }],
    "Uploaded file is not valid input for this route. a.pdf is a PDF; this endpoint takes a zip archive. " +
      IN(1, "unzip"),
  ],
  [
    "a page that a document lacks",
    [{ "split-pdf": { pages: ["1-2"] } }, { png: { pages: "3" } }],
    `3 is not within the acceptable range for pages. The document has 2 pages. ${IN(2, "png")}`,
  ],
  [
    "a page that one of several documents lacks",
    [{ "split-pdf": { pages: ["1-2", "3"] } }, { "merged-pdf": { pages: ["1", "2"] } }],
    "2 is not within the acceptable range for pages[]. a_2.pdf, number 2 of the 2 inputs, has 1 page. " +
      IN(2, "merged-pdf"),
  ],
  [
    "a file that is not there",
    [{ "watermarked-pdf": { watermark_file: "none.pdf" } }],
    "none.pdf is not within the acceptable range for watermark_file. No file of step_files has this name. " +
      IN(1, "watermarked-pdf"),
  ],
  [
    "an unknown id",
    [{ "watermarked-pdf": { watermark_file_id: "1d0c1f2a5-7d3f-4c39-9d7e-6a0a7f1b0c55" } }],
    `That file does not exist ${IN(1, "watermarked-pdf")}`,
    404,
  ],
  [
    "no output for the next step",
    [{ "extracted-images": {} }, { zip: {} }],
    `The step has no output that the next step could process. ${IN(1, "extracted-images")}`,
    422,
  ],
  [
    "another number of selections than documents",
    [{ "split-pdf": { pages: ["1", "2", "3"] } }, { "merged-pdf": { pages: ["1", "1"] } }],
    `2 is not within the acceptable range for pages[]. There are 3 documents. ${IN(2, "merged-pdf")}`,
  ],
])("%s is rejected", async (_, steps, error, expected = 400) => {
  const { status, body } = await client.post("/steps", fields(steps));
  expect([status, body.error]).toEqual([expected, error]);
});

test("passwords of steps are not in errors", async () => {
  const secret = [{ "encrypted-pdf": { new_open_password: "12345" } }];
  const { status, body } = await client.post("/steps", fields(secret));
  expect([status, body.error]).toEqual([400, `The given new password is too short. ${IN(1, "encrypted-pdf")}`]);
});

test("a value that an engine rejects is an error of its step", async () => {
  const files = { file: upload(xlsx("<row><c><v>1</v></c></row>"), "a.xlsx") };
  const { status, body } = await client.post("/steps", fields([{ pdf: { sheets: "Nope" } }], files));
  const error = `Nope is not within the acceptable range for sheets[]. The document has no such sheet. ${IN(1, "pdf")}`;
  expect([status, body.error]).toEqual([400, error]);
});

test("two further files of one name are rejected", async () => {
  const files = { step_files: [upload(pdf, "b.pdf"), upload(pdf, "b.pdf")] };
  const { status, body } = await client.post("/steps", fields([{ zip: {} }], files));
  const error = "b.pdf is not within the acceptable range for step_files. Two files have this name.";
  expect([status, body.error]).toEqual([400, error]);
});
