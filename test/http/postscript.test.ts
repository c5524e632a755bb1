// Tests POST /postscript. Ghostscript judges the output. The operation's own tests check the layout of the pages.
// Contract: docs/api.md#postscript
import { execFileSync } from "node:child_process";
import { expect, inject, test } from "vitest";
import { PdfBuilder } from "../fixtures/pdf-builder.ts";
import { keyedClient, privateClient, upload } from "../support/client.ts";
import { decode, perceptualDistance, popplerPage, withFile } from "../support/pictures.ts";

const client = privateClient();

/** Two pages; the second one has a transparent area. */
function sample(): Uint8Array {
  const builder = new PdfBuilder();
  builder.page("First");
  const content = "1 0 0 rg 20 20 150 100 re f /H gs 0 0 1 rg 100 60 150 100 re f BT /F 24 Tf 30 150 Td (Second) Tj ET";
  builder.page(content, "", "/ExtGState<</H<</ca .5>>>>");
  return builder.bytes();
}
const file = () => upload(sample(), "report.pdf");

/** Returns a page as Ghostscript draws it. */
const drawn = (postscript: Uint8Array, page: number) =>
  withFile(postscript, "a.ps", async (path) => {
    const device = ["-sDEVICE=png16m", "-r72", "-dTextAlphaBits=4", "-dGraphicsAlphaBits=4", `-sPageList=${page}`];
    const args = ["-q", "-dSAFER", "-dBATCH", "-dNOPAUSE", ...device, "-sOutputFile=-", path];
    return decode(execFileSync("gs", args, { maxBuffer: 2 ** 26 }), "png");
  });

test("spec: a printer draws the same pages; transparent areas become opaque, and text stays text", async () => {
  const [made] = await client.make("/postscript", { file: file(), page_range: "2,1" });
  expect([made!.name, made!.type]).toEqual(["report_postscript.ps", "application/postscript"]);
  const text = Buffer.from(made!.bytes).toString("latin1");
  expect(text).toMatch(/^%!PS-Adobe-3\.0\n.*%%LanguageLevel: 3\n.*%%Pages: 2\n/s);
  expect(text).toMatch(/\(Second\)/);
  for (const [at, page] of [2, 1].entries()) {
    const original = await popplerPage(sample(), page, 72);
    expect(perceptualDistance(await drawn(made!.bytes, at + 1), original)).toBeLessThan(6);
  }
});

test("spec: level 2 with only ASCII characters, from a JSON body in the keyed variant", async () => {
  const { url, key } = inject("services").keyed;
  const { body } = await keyedClient().post("/postscript", { file: file() });
  const response = await fetch(`${url}/postscript`, {
    method: "POST",
    headers: { "Api-Key": key, Accept: "application/postscript", "Content-Type": "application/json" },
    body: JSON.stringify({ id: body.inputId, ps_level: 2, binary_output: false, rotate: true, scale: 0.5 }),
  });
  const bytes = new Uint8Array(await response.arrayBuffer());
  expect(response.status).toBe(200);
  expect(Buffer.from(bytes).toString("latin1")).toMatch(/^%!PS.*%%LanguageLevel: 2\n/s);
  expect(bytes.every((byte) => byte < 128)).toBe(true);
  const { width, height } = await drawn(bytes, 1);
  expect([width, height]).toEqual([200, 300]);
});

test.each([
  [{ ps_level: "1" }, "1 is not within the acceptable range for ps_level."],
  [{ scale: "0" }, "0 is not within the acceptable range for scale."],
  [{ page_range: "3" }, "3 is not within the acceptable range for page_range. The document has 2 pages."],
])("400 for %o", async (fields, error) => {
  const { status, body } = await client.post("/postscript", { file: file(), ...fields });
  expect([status, body.error]).toEqual([400, error]);
});
