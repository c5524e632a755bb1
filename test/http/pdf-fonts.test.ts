// Tests POST /pdf with fonts of the request and of the deployment (FONTS_DIR), over HTTP, in the container.
// Contract: docs/api.md#fonts-of-a-document
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type ContainerProcess, startContainer } from "../../scripts/services/container-process.ts";
import { readCollection, writeCollection } from "../../src/document/fonts/truetype/collection.ts";
import { docx } from "../fixtures/office.ts";
import { renamedFont } from "../fixtures/renamed-fonts.ts";
import { type Client, createClient, type FormFields, upload } from "../support/client.ts";
import { type Service, startService } from "../support/service.ts";

const folder = mkdtempSync(join(tmpdir(), "pdf-fonts-test-"));
const logFile = join(folder, "container.log");
let container: ContainerProcess;
let service: Service;
let client: Client;
/** Fonts of a request, and of the deployment. */
let giraffe: File[];

beforeAll(async () => {
  const fonts = join(folder, "fonts/corporate");
  mkdirSync(fonts, { recursive: true });
  writeFileSync(join(fonts, "regular.ttf"), await renamedFont("Regular", "Walrus1"));
  writeFileSync(join(fonts, "collection.ttc"), collectionOf(await renamedFont("Bold", "Walrus1")));
  writeFileSync(join(fonts, "notes.txt"), "no font");
  const env = { ENGINES: "office,chromium,ghostscript,threads", FONTS_DIR: join(folder, "fonts") };
  container = await startContainer({ logFile, env });
  service = await startService({ variant: "private", container });
  client = createClient(service.url);
  giraffe = await Promise.all(
    ["Regular", "Bold"].map(async (style) => upload(await renamedFont(style, "Giraffe"), `${style}.ttf`)),
  );
});
afterAll(async () => {
  await service?.stop();
  await container?.stop();
  rmSync(folder, { recursive: true });
});

const collectionOf = (font: Uint8Array): Uint8Array => {
  const collection = Buffer.alloc(16 + font.length);
  collection.write("ttcf");
  collection.writeUInt32BE(0x00010000, 4);
  collection.writeUInt32BE(1, 8);
  collection.writeUInt32BE(16, 12);
  collection.set(font, 16);
  for (let at = 28; at < 28 + 16 * collection.readUInt16BE(20); at += 16) {
    collection.writeUInt32BE(collection.readUInt32BE(at + 8) + 16, at + 8);
  }
  return writeCollection(readCollection(collection)!);
};

async function fontsOf(fields: FormFields): Promise<string[]> {
  const [made] = await client.make("/pdf", { output: "made", ...fields });
  const path = join(folder, "made.pdf");
  writeFileSync(path, made!.bytes);
  const list = execFileSync("pdffonts", [path], { encoding: "utf8" });
  return [...list.matchAll(/^[A-Z]{6}\+(\S+)/gm)].map(([, name]) => name!).sort();
}

const word = (...families: string[]) =>
  upload(
    docx({
      body: families
        .flatMap((family) => ["", "<w:b/>"].map((style) => [family, style]))
        .map(
          ([family, style]) =>
            `<w:p><w:r><w:rPr><w:rFonts w:ascii="${family}" w:hAnsi="${family}"/>${style}</w:rPr><w:t>Line</w:t></w:r></w:p>`,
        )
        .join(""),
    }),
    "letter.docx",
  );
const lines = ["Giraffe", "Walrus1"].map((family) => `<p style="font-family:${family}">Line <b>bold</b></p>`).join("");
const postscript = (...names: string[]) =>
  `%!PS\n${names.map((name) => `/${name} findfont 12 scalefont setfont 72 72 moveto (x) show`).join("\n")} showpage`;

const OF_REQUEST = ["Giraffe", "Giraffe-Bold"];
const OF_DEPLOYMENT = ["Walrus1", "Walrus1-Bold"];

test.each([
  ["a Word document", () => word("Giraffe", "Walrus1"), [...OF_REQUEST, ...OF_DEPLOYMENT]],
  ["HTML", () => upload(lines, "page.html"), [...OF_REQUEST, ...OF_DEPLOYMENT]],
  ["Markdown", () => upload("# Title\n\nText", "text.md"), OF_REQUEST],
  ["PostScript", () => upload(postscript("Giraffe-Bold", "Walrus1"), "a.ps"), ["Giraffe-Bold", "Walrus1"]],
] as const)("%s", async (_, file, fonts) => {
  const style = { structured_text_options: JSON.stringify({ style: { font: "Giraffe", heading_font: "Giraffe" } }) };
  expect(await fontsOf({ file: file(), font_files: giraffe, ...style })).toEqual(fonts);
});

test("pictures of HTML are set with the fonts of the request", async () => {
  const html = (family: string) => upload(`<p style="font: 40px ${family}, monospace">iiiiii</p>`, "page.html");
  const picture = { output: "made", selector: "p", viewport: "400x100" };
  const made = async (family: string, more: FormFields = {}) =>
    (await client.make("/png", { ...picture, file: html(family), ...more }))[0]!.bytes;
  const [sent, other, without] = [
    await made("Giraffe", { font_files: giraffe }),
    await made("monospace", { font_files: giraffe }),
    await made("Giraffe"),
  ];
  expect(sent).not.toEqual(without);
  expect(other).toEqual(without);
});

test("the notice names only fonts that are missing, and a request has no fonts of another one", async () => {
  const post = (fields: FormFields) =>
    client.post("/pdf", { file: word("Giraffe", "Missing"), output: "x", ...fields });
  const namesOf = ({ body }: Awaited<ReturnType<typeof post>>) => body.substitutedFonts!.map(({ name }) => name);
  const sent = await post({ font_files: giraffe[0]! });
  const [stored, without] = await Promise.all([post({ "font_ids[]": sent.body.inputId![1]! }), post({})]);
  expect(namesOf(sent)).toEqual(namesOf(stored));
  expect(new Set(namesOf(stored))).toEqual(new Set(["Missing"]));
  expect(new Set(namesOf(without))).toEqual(new Set(["Giraffe", "Missing"]));
});

test.each([
  ["no font", () => upload("text", "bad.ttf"), /bad\.ttf is of no known type; this endpoint takes fonts in font_files/],
  ["a damaged font", () => new File([giraffe[0]!.slice(0, 5000)], "cut.ttf"), /cut\.ttf .*font_files.*damaged/],
])("%s gives 400", async (_, font, sentence) => {
  const { status, body } = await client.post("/pdf", { file: word("Giraffe"), font_files: font(), output: "x" });
  expect([status, body.error]).toEqual([400, expect.stringMatching(sentence)]);
});

test("more fonts than the limit give 400", async () => {
  const many = Array.from({ length: 33 }, () => giraffe[0]!);
  const { status, body } = await client.post("/pdf", { file: word("Giraffe"), font_files: many, output: "x" });
  expect([status, body.error]).toEqual([400, expect.stringContaining("The limit is 32 fonts.")]);
});
