// Tests how the PostScript program and its comments are found in a file.
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { appleSingle, dosEps, eps, macBinary, pages, pjl } from "../../../../test/fixtures/postscript.ts";
import { by, convert, documents, openGhostscripts, zygote } from "../../../../test/support/ghostscripts.ts";
import { failsWith } from "../../../../test/support/libreoffice.ts";
import { pixel, popplerPage, readDocument } from "../../../../test/support/pictures.ts";
import { findProgram } from "../input.ts";

openGhostscripts();

let made = 0;
async function found(content: string | Buffer, name = "a.ps") {
  const path = join(documents, `found${made++}`);
  await writeFile(path, content, "latin1");
  return findProgram(path, name);
}

describe("a program is found in its wrapper", () => {
  const program = eps([0, 0, 100, 50]);
  test.each([
    ["nothing", program],
    ["white space and an end of transmission", `\x04\r\n ${program}\x04`],
    ["printer commands", pjl(program)],
    ["printer commands that name no language", `\x1b%-12345X@PJL JOB\n${program}\x1b%-12345X`],
    ["the header of DOS", dosEps(program)],
    ["the header of DOS, cut off", dosEps(program).subarray(0, 32 + program.length)],
    ["the header of DOS with a length beyond the end", dosEps(program, 0xffffffff).subarray(0, 32 + program.length)],
    ["AppleSingle", appleSingle(program)],
    ["MacBinary", macBinary(program)],
  ])("in %s", async (_, content) => {
    const { pages, info } = await convert(zygote, content);
    expect([pages, info["Page size"]]).toEqual([1, "100 x 50 pts"]);
  });

  test.each([
    ["nothing", ""],
    ["blanks alone", " \r\n\x04"],
    ["a job for another language", "\x1b%-12345X@PJL ENTER LANGUAGE=PCL\r\n\x1bE hello"],
    ["printer commands alone", "\x1b%-12345X@PJL JOB\r\n"],
    ["half a header of DOS", Buffer.from("c5d0d3c62000", "hex")],
    ["a header of DOS that begins beyond the end", Buffer.from("c5d0d3c6ffffffffffffffff00000000", "hex")],
    ["a header of DOS without a program", Buffer.from("c5d0d3c6200000000000000000000000", "hex")],
    ["AppleSingle without a data fork", Buffer.from(`00051600${"00".repeat(22)}`, "hex")],
    ["AppleSingle with more entries than it has", Buffer.from(`00051600${"00".repeat(20)}ffff`, "hex")],
  ])("%s is no program", async (_, content) => {
    await expect(convert(zygote, content)).rejects.toEqual(failsWith("unsupported"));
  });

  // Each search takes milliseconds. A pattern with backtracking would exceed the test's time limit.
  test.each([
    ["blanks", " ".repeat(60_000), false],
    ["digits of a box", `%!PS-Adobe-3.0 EPSF-3.0\n%%BoundingBox: ${"1".repeat(60_000)}\n`, true],
    ["parentheses of a title", `%!PS-Adobe-3.0 EPSF-3.0\n%%Title: ${"(".repeat(60_000)}\n`, true],
    ["ends of jobs", `%!PS-Adobe-3.0 EPSF-3.0\n${"\x1b%-12345X".repeat(6_000)}x`, true],
    ["commands in a line", `%!PS-Adobe-3.0 EPSF-3.0\n\x1b%-12345X${"@PJL".repeat(10_000)}\nx`, true],
    ["languages without a name", `\x1b%-12345X${"@PJL ENTER LANGUAGE ".repeat(3_000)}`, false],
    ["letters in a language's name", `\x1b%-12345X@PJL ENTER LANGUAGE=${"A".repeat(60_000)}`, false],
    [
      "boxes that are none",
      `%!PS-Adobe-3.0 EPSF-3.0\n${`%%BoundingBox: ${`${"1".repeat(80)} `.repeat(3)}x\n`.repeat(250)}`,
      true,
    ],
    ["blanks behind an end of a job", `%!PS-Adobe-3.0 EPSF-3.0\n\x1b%-12345X${" ".repeat(60_000)}x`, true],
  ])("long runs of %s", { timeout: 15_000 }, async (_, content, isProgram) => {
    for (let turn = 0; turn < 10; turn++) expect((await found(content)) !== undefined).toBe(isProgram);
  });
});

describe("an EPS has a page of its box", () => {
  test.each([
    ["whole numbers", [10, 20, 210, 120], undefined, "200 x 100 pts"],
    ["an origin below zero", [-50, -60, 50, 40], undefined, "100 x 100 pts"],
    ["an origin far away", [5000, 7000, 5100, 7050], undefined, "100 x 50 pts"],
    [
      "the finer of two boxes",
      [0, 0, 72, 48.24],
      "%%BoundingBox: 0 0 72 49\n%%HiResBoundingBox: 0 0 72 48.24",
      "72 x 48.24 pts",
    ],
    [
      "the finer one first",
      [0, 0, 72, 48.24],
      "%%HiResBoundingBox: 0 0 72 48.24\n%%BoundingBox: 0 0 72 49",
      "72 x 48.24 pts",
    ],
    ["lines that end as on a Macintosh", [0, 0, 30, 40], "%%Title: x\r%%BoundingBox: 0 0 30 40\r", "30 x 40 pts"],
    ["lines that end as on DOS", [0, 0, 30, 40], "%%Title: x\r\n%%BoundingBox:\t0 0 30 40\r\n", "30 x 40 pts"],
    ["exponents and points", [0, 0, 30, 40], "%%BoundingBox: 0.0 .0 3.e1 +40.", "30 x 40 pts"],
    ["a box of nothing: letter paper", [0, 0, 30, 40], "%%BoundingBox: 0 0 0 0", "612 x 792 pts (letter)"],
    ["a box inside out: letter paper", [0, 0, 30, 40], "%%BoundingBox: 30 40 0 0", "612 x 792 pts (letter)"],
    [
      "a box larger than pages are: letter paper",
      [0, 0, 30, 40],
      "%%BoundingBox: 0 0 2147483647 352",
      "612 x 792 pts (letter)",
    ],
    ["a box too far away: letter paper", [0, 0, 30, 40], "%%BoundingBox: 1e30 0 2e30 9", "612 x 792 pts (letter)"],
    ["a box too small: letter paper", [0, 0, 30, 40], "%%HiResBoundingBox: 0 0 .00001 40", "612 x 792 pts (letter)"],
    ["no box: letter paper", [0, 0, 30, 40], "%%Title: none", "612 x 792 pts (letter)"],
    [
      "a fine box of nothing and another",
      [0, 0, 30, 40],
      "%%BoundingBox: 0 0 30 40\n%%HiResBoundingBox: 0 0 0 0",
      "30 x 40 pts",
    ],
  ] as const)("%s", async (_, box, comments, size) => {
    const converted = await convert(zygote, eps(box, comments), { name: "a.eps" });
    expect([converted.pages, converted.info["Page size"]]).toEqual([1, size]);
    if (size.includes("letter")) return;
    // The image has a red frame. Red corners show that the image fills the page exactly.
    const picture = await popplerPage(await readDocument(converted.path), 1, 72);
    const [right, bottom] = [picture.width - 3, picture.height - 3];
    for (const [x, y] of [
      [2, 2],
      [right, 2],
      [2, bottom],
      [right, bottom],
    ] as const) {
      expect(pixel(picture, x, y), `${x},${y}`).toEqual([255, 0, 0]);
    }
    expect(pixel(picture, picture.width >> 1, picture.height >> 1)).toEqual([255, 255, 255]);
  });

  test("in the trailer, the last one", async () => {
    const trailer = "%%Trailer\n%%BoundingBox: 0 0 1 1\n%%BoundingBox: 0 0 90 80\n%%EOF\n";
    const program = eps([0, 0, 90, 80], "%%BoundingBox: (atend)", `showpage\n${trailer}`);
    expect((await found(program))?.box).toEqual([0, 0, 90, 80]);
    expect((await convert(zygote, program)).info["Page size"]).toBe("90 x 80 pts");
  });

  test("not that of a picture within it", async () => {
    const inner = `%%BeginDocument: inner.eps\n${eps([0, 0, 9, 9])}%%EndDocument\n`;
    const program = `%!PS-Adobe-3.0 EPSF-3.0\n%%BoundingBox: (atend)\n%%EndComments\n${inner}showpage\n%%Trailer\n%%BoundingBox: 0 0 90 80\n`;
    expect((await found(program))?.box).toEqual([0, 0, 90, 80]);
  });

  test.each(["zygote", "plain"] as const)(
    "without showpage, with initgraphics and another paper, by %s",
    async (mode) => {
      const rude = eps([100, 100, 200, 150], undefined, "").replace(
        "1 0 0 setrgb",
        "initgraphics << /PageSize [ 9 9 ] >> setpagedevice 1 0 0 setrgb",
      );
      const converted = await convert(by(mode), rude);
      expect([converted.pages, converted.info["Page size"]]).toEqual([1, "100 x 50 pts"]);
      const picture = await popplerPage(await readDocument(converted.path), 1, 72);
      expect(pixel(picture, 2, 2)).toEqual([255, 0, 0]);
    },
  );

  test("of a file that is an EPS by its name", async () => {
    const program = eps([0, 0, 60, 50]).replace("%!PS-Adobe-3.0 EPSF-3.0", "%!PS-Adobe-2.0");
    expect((await convert(zygote, program, { name: "A.EPS" })).info["Page size"]).toBe("60 x 50 pts");
    expect((await convert(zygote, program, { name: "a.ps" })).info["Page size"]).toContain("letter");
  });

  test("but a document of several pages is one, whatever it says", async () => {
    const program = pages(3).replace(
      "%!PS\n",
      "%!PS-Adobe-3.0 EPSF-3.0\n%%BoundingBox: 0 0 50 50\n%%Pages: 3\n%%EndComments\n",
    );
    const converted = await convert(zygote, program);
    expect([converted.pages, converted.info["Page size"]]).toEqual([3, "612 x 792 pts (letter)"]);
  });
});

test.each([
  ["octal escapes of UTF-16", "(\\376\\377\\000R\\000\\351\\004\\026\\330\\075\\336\\000)", "RéЖ😀"],
  ["escapes of letters in UTF-16", "(\\376\\377\\n\\005)", "\u0a05"],
  ["bytes of UTF-16", "(\xfe\xff\0R\x04\x16)", "RЖ"],
  ["UTF-16 in the other order", "(\\377\\376R\\000e\\000)", "Re"],
  ["digits", "<FEFF 0052 00e9 0416>", "RéЖ"],
  ["UTF-8 with a mark", "(\xef\xbb\xbfGr\xc3\xb6\xc3\x9fe)", "Größe"],
  ["UTF-8 with a mark in digits", "<efbbbf47c3b6>", "Gö"],
  ["Latin-1", "(J\\366rg & S\xf6ren)", "Jörg & Sören"],
  ["parentheses within", "(A (good) title \\(2\\)) and more", "A (good) title (2)"],
  ["a string that is cut off", "(A title \\", "A title"],
  ["more escapes than a line should have", `(\\376\\377${"\\000a".repeat(100)})`, "a".repeat(100)],
  ["what only looks like digits", "<untitled>", "<untitled>"],
])("a title in %s is read", async (_, value, expected) => {
  const program = await found(`%!PS-Adobe-3.0\n%%Title: ${value}\n%%For: ${value}\n%%EndComments\nshowpage\n`);
  expect([program?.title, program?.author]).toEqual([expected, expected]);
});

describe.each(["zygote", "plain"] as const)(
  "a page that PDF does not permit (ISO 32000-1, annex C.2), by %s",
  (mode) => {
    const document = (text: string) => `%!PS\n${text}\nshowpage\n`;
    const paper = (width: number, height: number) => `<< /PageSize [${width} ${height}] >> setpagedevice`;

    test.each([
      ["a picture with a large box", eps([0, 0, 20_000, 15_000])],
      ["a picture with a huge box", eps([0, -200_000, 10, 0])],
      ["a document's paper", document(paper(14_401, 100))],
      ["a paper in the middle of a document", document(`showpage ${paper(100, 20_000)} showpage ${paper(100, 100)}`)],
      ["a box of a page", document("[ /MediaBox [-100 0 14400 100] /PAGE pdfmark")],
    ])("%s: out of range", async (_, content) => {
      await expect(convert(by(mode), content)).rejects.toMatchObject({ name: "OutOfRange", parameter: "file" });
    });

    test("the largest is converted, and so is a picture whose box is none", async () => {
      expect((await convert(by(mode), document(paper(14_400, 100)))).info["Page size"]).toBe("14400 x 100 pts");
      expect((await convert(by(mode), eps([0, 0, 14_400, 14_400]))).pages).toBe(1);
      for (const size of ["-5 100", "0 0", "1e30 1e30"]) {
        const refused = convert(by(mode), document(`<< /PageSize [${size}] >> setpagedevice`));
        await expect(refused).rejects.toEqual(failsWith("damaged"));
      }
    });
  },
);
