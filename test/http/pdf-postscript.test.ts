// Tests POST /pdf for PostScript and EPS (spec, "POST /pdf"), over HTTP, in the container.
// Contract: docs/api.md#pdf, #job-options, #notices
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import {
  appleSingle,
  bilevelPictures,
  document,
  dosEps,
  eps,
  macBinary,
  pages,
  picturesOf,
  pjl,
} from "../fixtures/postscript.ts";
import { beginning } from "../support/beginning.ts";
import { type FormFields, keyedClient, privateClient, upload } from "../support/client.ts";
import { corpusDir } from "../support/corpus.ts";
import { decode, perceptualDistance } from "../support/pictures.ts";

const NOT_VALID = beginning("Uploaded file is not valid input for this route.");

const folder = mkdtempSync(join(tmpdir(), "postscript-test-"));
afterAll(() => rmSync(folder, { recursive: true }));

function look(bytes: Uint8Array) {
  const file = join(folder, "looked-at.pdf");
  writeFileSync(file, bytes);
  const tool = (name: string, ...args: string[]) => execFileSync(name, args, { encoding: "utf8" });
  const pictures = tool("pdfimages", "-list", file).trim().split("\n").slice(2);
  return {
    text: tool("pdftotext", file, "-"),
    info: Object.fromEntries(
      [...tool("pdfinfo", file).matchAll(/^([^:]+):\s*(.*)$/gm)].map(([, key, value]) => [key, value]),
    ),
    pictures: pictures
      .map((line) => line.trim().split(/\s+/))
      .map((cells) => ({ encoding: cells[8], dpi: Number(cells[12]) })),
  };
}

async function converted(fields: FormFields) {
  const [made, ...more] = await privateClient().make("/pdf", { output: "made", ...fields });
  expect(more).toEqual([]);
  return { ...made!, ...look(made!.bytes) };
}

async function error(
  content: string | Buffer,
  name = "a.ps",
  fields: FormFields = {},
): Promise<[number, string | undefined]> {
  const file = upload(Buffer.from(content as string, "latin1"), name);
  const { status, body } = await privateClient().post("/pdf", { output: "made", file, ...fields });
  return [status, body.error];
}

describe("PostScript becomes a PDF", () => {
  test("spec: its pages, under the name that was asked for", async () => {
    const { name, type, text, info } = await converted({ file: upload(pages(3), "a.ps") });
    expect([name, type]).toEqual(["made.pdf", "application/pdf"]);
    expect(text).toContain("Page 3");
    expect(info).toMatchObject({ Pages: "3", "Page size": "612 x 792 pts (letter)" });
  });

  test("spec: an EPS gives a page of its bounding box", async () => {
    const { info } = await converted({ file: upload(eps([10, 20, 110, 70]), "a.eps") });
    expect(info).toMatchObject({ Pages: "1", "Page size": "100 x 50 pts" });
  });

  test("by the id of an earlier call, in the keyed variant", async () => {
    const client = keyedClient();
    const { body } = await client.post("/pdf", { file: upload(pages(1), "a.ps"), output: "a" });
    const again = await client.post("/pdf", { id: body.inputId!, output: "b" });
    expect([again.status, again.body.inputId]).toEqual([200, body.inputId]);
  });

  test.each([
    ["whatever the name", pages(1), "a.docx"],
    ["without a name that tells", eps([0, 0, 50, 50]), "a"],
    ["after an end of transmission", `\x04${pages(1)}`, "a.ps"],
    ["within printer commands", pjl(pages(1)), "a.prn"],
    ["with the header of DOS", dosEps(eps([0, 0, 50, 50])), "a.bin"],
    ["in AppleSingle", appleSingle(eps([0, 0, 50, 50])), "a.eps"],
    ["in MacBinary", macBinary(eps([0, 0, 50, 50])), "a.eps"],
    ["by its name, if it does not say what it is", "/Helvetica 12 selectfont 72 72 moveto (x) show showpage", "a.ps"],
  ])("found by content: %s", async (_, content, name) => {
    const { info } = await converted({ file: upload(Buffer.from(content as string, "latin1"), name) });
    expect(info.Pages).toBe("1");
  });
});

describe("spec: compression and downsample", () => {
  const picture = upload(picturesOf("rgb", [400]), "a.ps");

  test.each([
    ["300", 300],
    ["75", 75],
    ["off", 400],
    [undefined, 300],
  ])("downsample %s gives %i dpi", async (downsample, dpi) => {
    const { pictures } = await converted({ file: picture, ...(downsample === undefined ? {} : { downsample }) });
    expect(pictures).toEqual([{ encoding: "jpeg", dpi }]);
  });

  test("lossless keeps every bit, and the default does not", async () => {
    const lossless = await converted({ file: picture, compression: "lossless", downsample: "off" });
    expect(lossless.pictures[0]!.encoding).toBe("image");
    const lossy = await converted({ file: picture, downsample: "off" });
    expect(lossy.bytes.length).toBeLessThan(lossless.bytes.length / 2);
  });
});

test("spec: job options replace compression and downsample, and what they cannot set is named", async () => {
  const options = (settings: string) => upload(`<< ${settings} >> setdistillerparams`, "press.joboptions");
  const picture = upload(picturesOf("rgb", [400]), "a.ps");
  const settings =
    "/CompatibilityLevel 1.4 /ColorConversionStrategy /CMYK /DownsampleColorImages true /ColorImageResolution 72 " +
    "/ColorImageDownsampleThreshold 1.5 /AutoFilterColorImages false /ColorImageFilter /FlateEncode /Binding /Left";
  const fields = { file: picture, output: "made", job_options: options(settings) };
  const { body } = await privateClient().post("/pdf", fields);
  expect(body.notices).toEqual(["1 setting of the job options was ignored: Binding"]);
  const { pictures, info } = look(new Uint8Array(await (await fetch(String(body.outputUrl))).arrayBuffer()));
  expect([pictures, info["PDF version"]]).toEqual([[{ encoding: "image", dpi: 72 }], "1.4"]);
  const { status, body: wrong } = await privateClient().post("/pdf", { ...fields, job_options: upload("quit") });
  expect([status, wrong.error]).toEqual([
    400,
    "The file with job options is not valid. Line 1: quit instead of a dictionary.",
  ]);
  expect(await error(pages(1), "a.ps", { job_options: options("/ColorImageResolution 1") })).toEqual([
    400,
    "1 is not within the acceptable range for job_options.ColorImageResolution.",
  ]);
});

describe("a program that fails: 400, and no half PDF", () => {
  test.each([
    ["an error after a page", document("showpage nonsense")],
    ["no page", document("(nothing) show")],
    ["no program", "this is not PostScript"],
    ["an empty file", ""],
    ["half a header of DOS", Buffer.from("c5d0d3c620000000ff", "hex")],
    ["a job for another language", "\x1b%-12345X@PJL ENTER LANGUAGE=PCL\r\n\x1bE%!PS"],
  ])("%s", async (_, content) => {
    expect(await error(content)).toEqual([400, NOT_VALID]);
  });

  test("a file of the container cannot be read", async () => {
    expect(await error(document("(/etc/passwd) (r) file 99 string readstring pop show showpage"))).toEqual([
      400,
      NOT_VALID,
    ]);
  });

  test("memory without end: 413, and the next one works", async () => {
    const [status, sentence] = await error("%!PS\n{ 60000 string } loop\n");
    expect([status, sentence]).toEqual([413, "The input file needs more memory than is available."]);
    expect((await converted({ file: upload(pages(1), "a.ps") })).info.Pages).toBe("1");
  });
});

describe("notices", () => {
  const notices = async (program: string, fields: FormFields = {}) => {
    const { status, body } = await privateClient().post("/pdf", {
      output: "a",
      file: upload(program, "a.ps"),
      ...fields,
    });
    expect(status).toBe(200);
    return "notices" in body ? body.notices : "no such field";
  };
  const shown = (font: string) => document(`${font} findfont 12 scalefont setfont (x) show showpage`);
  const REPLACED = ["1 font was substituted: Calibri (replaced by Carlito, same widths)"];

  test("the fonts that were replaced", async () => {
    expect(await notices(shown("/Calibri"))).toEqual(REPLACED);
  });

  test("as data too, for programs", async () => {
    const file = upload(shown("/Calibri"), "a.ps");
    const { body } = await privateClient().post("/pdf", { output: "a", file });
    expect(body.substitutedFonts).toEqual([{ name: "Calibri", replacedBy: "Carlito", sameWidths: true }]);
    const plain = await privateClient().post("/pdf", { output: "a", file: upload(shown("/Helvetica"), "a.ps") });
    expect(plain.body).not.toHaveProperty("substitutedFonts");
  });

  test("also of a file whose pictures of one bit are brought down", async () => {
    const withPicture = bilevelPictures([{ width: 400, height: 400 }]).replace(
      "\n",
      "\n/Calibri findfont 12 scalefont setfont 72 72 moveto (x) show\n",
    );
    expect(await notices(withPicture, { downsample: "75" })).toEqual(REPLACED);
  });

  test("without a font that was replaced there is no such field", async () => {
    expect(await notices(shown("/Helvetica"))).toBe("no such field");
    expect(await notices(bilevelPictures([{ width: 400, height: 400 }]), { downsample: "75" })).toBe("no such field");
  });

  test("names are safe and bounded, count and all", async () => {
    const [sentence] = (await notices(shown(`(${"n".repeat(120)}\\033[2J) cvn`))) as string[];
    expect(sentence).toMatch(/^1 font was substituted: n{79}… \(replaced by Courier\)$/);
    const asked = Array.from({ length: 99 }, (_, index) => `/Font-${index} findfont pop`).join(" ");
    const [many] = (await notices(shown(`${asked} /Font-99`))) as string[];
    expect(many).toMatch(/^100 fonts were substituted: (?:[^,]+, ){9}[^,]+ and 90 more$/);
  });
});

describe.skipIf(corpusDir === undefined)("real documents", () => {
  const read = (name: string) => readFileSync(join(corpusDir!, "postscript", name));

  /**
   * Returns Ghostscript's image of a program (on the expected page size) or of a PDF, so that both have the same color
   * conversion.
   */
  async function ghostscriptPage(path: string, ...setup: string[]) {
    const file = join(folder, "page-%d.png");
    const quality = ["-r72", "-dTextAlphaBits=4", "-dGraphicsAlphaBits=4", "-dFirstPage=1", "-dLastPage=1"];
    const args = [
      "-q",
      "-dNOPAUSE",
      "-dBATCH",
      "-dNOEPS",
      "-sDEVICE=png16m",
      ...quality,
      "-o",
      file,
      ...setup,
      "-f",
      path,
      "-c",
      "showpage",
    ];
    execFileSync("gs", args, { encoding: "utf8" });
    return decode(readFileSync(file.replace("%d", "1")), "opaquePng");
  }

  test.each([
    ["document-a4.ps", "4", "595 x 842 pts (A4)", [595, 842], [0, 0]],
    ["06_color_shading.ps", "1", "612 x 792 pts (letter)", [612, 792], [0, 0]],
    ["1.eps", "1", "72 x 48.24 pts", [72, 48], [0, 0]],
    ["non_zero_bb.eps", "1", "360 x 252 pts", [360, 252], [50, 50]],
    ["zero_bb_trailer.eps", "1", "460 x 352 pts", [460, 352], [0, 0]],
    ["cdw-logo.eps", "1", "194 x 194 pts", [194, 194], [201, 324]],
    ["logo.eps", "1", "548.1 x 565.79 pts", [548, 566], [29.1, 105.3]],
    ["illuCS6_preview.eps", "1", "402.52 x 2447.39 pts", [403, 2447], [0, 0]],
    ["fixture.eps", "1", "612 x 792 pts (letter)", [612, 792], [0, 0]],
  ] as const)("%s looks as Ghostscript draws it", async (name, count, pageSize, size, origin) => {
    const { info, bytes } = await converted({ file: upload(read(name), name), downsample: "off" });
    expect([info.Pages, info["Page size"]]).toEqual([count, pageSize]);
    const made = join(folder, "made.pdf");
    writeFileSync(made, bytes);
    const paper = [`-dDEVICEWIDTHPOINTS=${size[0]}`, `-dDEVICEHEIGHTPOINTS=${size[1]}`, "-dFIXEDMEDIA"];
    const place = `<< /Install { ${-origin[0]} ${-origin[1]} translate } >> setpagedevice`;
    const theirs = await ghostscriptPage(join(corpusDir!, "postscript", name), ...paper, "-c", place);
    expect(perceptualDistance(await ghostscriptPage(made), theirs)).toBeLessThan(4);
  });

  test("manual.ps has its 170 pages and their text", async () => {
    const { info, text } = await converted({ file: upload(read("manual.ps"), "manual.ps") });
    expect(info.Pages).toBe("170");
    expect(text).toContain("Scheme 48");
  });

  test.each(["vdp.ps", "timeout-d675703545fee17acab56e5fec644c19979175de.eps"])("%s: 400", async (name) => {
    expect(await error(read(name), name)).toEqual([400, NOT_VALID]);
  });
});
