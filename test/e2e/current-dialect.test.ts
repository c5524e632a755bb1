// Tests the dialect `current`: requests without the parameters that current programs omit, and every call of the PyPI
// client pdfrest for which this service has an endpoint.
// Contract: docs/api.md#dialects, #output-names
import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startContainer } from "../../scripts/services/container-process.ts";
import { docx, paragraph } from "../fixtures/office.ts";
import { labeledPdf } from "../fixtures/pdfs.ts";
import { pattern, png } from "../fixtures/pictures.ts";
import { document } from "../fixtures/postscript.ts";
import { createClient, type FormFields, upload } from "../support/client.ts";
import { clientSources, pythonTools } from "../support/client-tools.ts";
import { type Service, startService } from "../support/service.ts";
import { type Answer, type Site, startPages } from "../support/web.ts";

const HTML = "<!doctype html><title>Größe</title><p>Größe";
const PROFILE = { objects: { "discard-thumbnails": "on" } };
const pages = new Map<string, Answer>();
const show =
  (type: string, body: string | Uint8Array): Answer =>
  (_, response) => {
    response.setHeader("Content-Type", type).end(body);
  };
const resources = new AsyncDisposableStack();
let folder: string;
let site: Site;
let service: Service;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "dialect-"));
  resources.defer(() => rm(folder, { recursive: true, force: true }));
  site = resources.use(await startPages(pages));
  const env = { URL_ALLOW: `127.0.0.1:${site.port}` };
  const container = await startContainer({ logFile: join(folder, "container.log"), env });
  resources.defer(() => container.stop());
  service = await startService({ variant: "keyed", container, vars: { API_DIALECT: "current" } });
  resources.defer(() => service.stop());
}, 300_000);
afterAll(() => resources.disposeAsync());

interface OpenApi {
  readonly paths: Record<
    string,
    { post?: { requestBody?: { content: Record<string, { schema: { required?: string[] } }> } } }
  >;
}

interface Described {
  readonly inputs: number;
  readonly outputs: readonly (readonly [name: string, type: string])[];
  readonly sized: boolean;
  readonly ends: boolean;
}

/** Runs the Python program with a PDF and other inputs. */
async function callsOf(bin: string, pdf: Uint8Array): Promise<Readonly<Record<string, unknown>>> {
  const inputs: Readonly<Record<string, string | Uint8Array>> = {
    ...{ "a.pdf": pdf, "b.pdf": await labeledPdf("B", 2), "page.html": HTML },
    ...{ "picture.png": png(pattern(3), { colorType: 2, bits: 8 }), "drawing.ps": document("(drawn) show showpage") },
    ...{ "letter.docx": docx({ body: paragraph("Dear reader") }), "profile.json": JSON.stringify(PROFILE) },
    ...{ "form.fdf": "%FDF-1.2\n", "form.xfdf": "<xfdf/>", "form.xdp": "<xdp/>", "form.xfd": "<xfd/>" },
    ...{ "notes.md": "# Notes", "mail.eml": "Subject: mail\r\n\r\nText" },
  };
  for (const [name, content] of Object.entries(inputs)) await writeFile(join(folder, name), content);
  pages.set("/a.pdf", show("application/pdf", inputs["a.pdf"]!));
  pages.set("/page.html", show("text/html; charset=utf-8", HTML));
  const program = [join(clientSources, "with_pdfrest.py"), service.url, service.key!, folder, site.url];
  const { stdout } = await promisify(execFile)(join(bin, "python"), program, { maxBuffer: 2 ** 24 });
  return JSON.parse(stdout) as Record<string, unknown>;
}

test("the client of PyPI makes its calls, and reads their answers", { timeout: 600_000 }, async (context) => {
  // The PDF is created once, because its length depends on the time of its creation.
  const input = await labeledPdf("A", 4);
  const { up, ...found } = await callsOf(await pythonTools(context), input);
  expect(up).toEqual(["OK", "Pagewright", expect.stringMatching(/^\d+\.\d+\.\d+$/)]);
  const made = (inputs: number, outputs: Described["outputs"]): Described => ({
    ...{ inputs, outputs, sized: true, ends: true },
  });
  const pdf = (name: string) => made(1, [[`${name}.pdf`, "application/pdf"]]);
  const pictures = (extension: string, type: string, ...numbers: number[]) =>
    made(
      1,
      numbers.map((number) => [`a_pdfrest_${extension}_${number}.${extension}`, `image/${type}`]),
    );
  expect(found).toEqual({
    create_from_paths: [
      ...["application/pdf", "application/pdf", "text/html", "image/png", "application/postscript"],
      ...["application/vnd.openxmlformats-officedocument.wordprocessingml.document", "application/json"],
    ],
    create: [
      ...["application/vnd.fdf", "application/vnd.adobe.xfdf", "application/vnd.adobe.xdp+xml"],
      ...["application/vnd.adobe.xfd+xml", "text/markdown", "message/rfc822"],
    ],
    create_from_urls: [
      ["a.pdf", "application/pdf"],
      ["page.html", "text/html"],
    ],
    ...{ get: "form.fdf", read_bytes: true, read_text: true, read_json: PROFILE, stream: true },
    write_bytes: input.length,
    split_pdf: made(1, [
      ["a_pdfrest_split-pdf_1.pdf", "application/pdf"],
      ["a_pdfrest_split-pdf_2.pdf", "application/pdf"],
    ]),
    merge_pdfs: made(2, [["pdfrest_merged-pdf.pdf", "application/pdf"]]),
    zip_files: made(2, [["pdfrest_zip.zip", "application/zip"]]),
    compress_pdf: pdf("a_pdfrest_compressed-pdf"),
    "compress_pdf with a profile": pdf("small"),
    flatten_transparencies: pdf("a_pdfrest_flattened-transparencies-pdf"),
    linearize_pdf: pdf("a_pdfrest_linearized-pdf"),
    convert_office_to_pdf: pdf("letter_pdfrest_pdf"),
    convert_postscript_to_pdf: pdf("drawing_pdfrest_pdf"),
    convert_image_to_pdf: pdf("picture"),
    convert_html_to_pdf: pdf("page_pdfrest_pdf"),
    convert_url_to_pdf: pdf("127.0.0.1_pdfrest_pdf"),
    convert_to_pdfa: pdf("a_pdfrest_pdfa"),
    convert_to_png: pictures("png", "png", 1, 2, 3),
    convert_to_bmp: pictures("bmp", "bmp", 1),
    convert_to_gif: pictures("gif", "gif", 1, 2, 3, 4),
    convert_to_jpeg: pictures("jpg", "jpeg", 1, 2, 3, 4),
    convert_to_tiff: made(
      1,
      [1, 2, 3, 4].map((number) => [`scan_${number}.tif`, "image/tiff"]),
    ),
    "delete again": ["File has already been deleted"],
    async: [
      pictures("png", "png", 1, 2, 3, 4),
      pdf("a_pdfrest_linearized-pdf"),
      made(2, [["pdfrest_zip.zip", "application/zip"]]),
    ],
    "async read_bytes": HTML,
  });
});

describe("without a client", () => {
  const client = () => createClient(service.url, service.key);
  const namesOf = async (path: string, fields: FormFields) =>
    (await client().make(path, fields)).map(({ name }) => name);
  const input = async () => upload(await labeledPdf("A", 1), "input.pdf");

  test("a form needs no output, sent empty or not at all", async () => {
    const file = await input();
    const one = { file, resolution: "20" };
    expect(await namesOf("/jpg", one)).toEqual(["input_pdfrest_jpg_1.jpg"]);
    expect(await namesOf("/tif", { ...one, output: "" })).toEqual(["input_pdfrest_tif_1.tif"]);
    expect(await namesOf("/compressed-pdf", { file, compression_level: "low" })).toEqual([
      "input_pdfrest_compressed-pdf.pdf",
    ]);
    expect(await namesOf("/merged-pdf", { file, "type[]": "file", "pages[]": "1" })).toEqual([
      "pdfrest_merged-pdf.pdf",
    ]);
    expect(await namesOf("/split-pdf", { file })).toEqual(["input_pdfrest_split-pdf_1.pdf"]);
    expect(await namesOf("/split-pdf", { file, output: "Example_out.PDF" })).toEqual(["Example_out_1.pdf"]);
    expect(await namesOf("/zip", { file: [file, file] })).toEqual(["pdfrest_zip.zip"]);
    expect(await namesOf("/html", { content: "<p>a" })).toEqual(["pdfrest_html.html"]);
    const { status, body } = await client().post("/png", { file, output: "///" });
    expect([status, body.error]).toEqual([400, "/// is not within the acceptable range for output."]);
  });

  test("a download needs no format, but not two or an unknown one", async () => {
    const { body } = await client().post("/html", { content: "<p>a" });
    const url = `${service.url}/resource/${body.outputId}`;
    const get = async (query: string, method = "GET") => {
      const answer = await fetch(`${url}${query}`, { method });
      return [answer.status, await answer.text()];
    };
    expect(await get("")).toEqual([200, "<p>a"]);
    expect(await get("", "HEAD")).toEqual([200, ""]);
    for (const query of ["?format=", "?format=pdf", "?format=file&format=file"])
      expect((await get(query))[0]).toBe(400);
  });

  test("/upload takes files or addresses", async () => {
    const { status, body } = await client().post("/upload", { file: await input(), url: `${site.url}/a.pdf` });
    expect([status, body.error]).toEqual([400, "Files and URLs cannot be uploaded together."]);
  });

  test("the description of the service requires no output", async () => {
    const { paths } = (await (await fetch(`${service.url}/openapi.json`)).json()) as OpenApi;
    for (const [path, { post }] of Object.entries(paths)) {
      const schema = post?.requestBody?.content?.["multipart/form-data"]?.schema;
      expect(schema?.required ?? [], path).not.toContain("output");
    }
  });
});
