// Tests conversions with the zygote and with plain Ghostscript: output, limits, confinement and leftover files.
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { document, eps, pages, picturesOf } from "../../../../test/fixtures/postscript.ts";
import { corpusDir } from "../../../../test/support/corpus.ts";
import { eventually } from "../../../../test/support/eventually.ts";
import {
  by,
  convert,
  documents,
  logged,
  openGhostscripts,
  picturesIn,
  plain,
  scratch,
  zygote,
} from "../../../../test/support/ghostscripts.ts";
import { failsWith } from "../../../../test/support/libreoffice.ts";
import { perceptualDistance, popplerPage, readDocument } from "../../../../test/support/pictures.ts";
import { aChild, childrenOf, isRunning } from "../../../../test/support/processes.ts";
import { Scratch } from "../../../scratch/scratch.ts";

openGhostscripts();

const ENDLESS = "%!PS\n{ } loop\n";

test("the warm way is chosen here, and the log says so", () => {
  expect(zygote.mode).toBe("zygote");
  expect(logged[0]?.details).toMatchObject({ mode: "zygote", version: expect.stringMatching(/^\d+\.\d+/) });
});

test("where the zygote is not ready the plain way is chosen, and the log says why", () => {
  expect(plain.mode).toBe("plain");
  expect(logged[1]?.details).toMatchObject({ mode: "plain", reason: expect.stringContaining("not built") });
});

describe.each(["zygote", "plain"] as const)("by %s", (mode) => {
  test("a document has its pages, its text, its fonts and letter paper", async () => {
    const converted = await convert(by(mode), pages(3));
    expect(converted.pages).toBe(3);
    expect(converted.text).toContain("Page 3");
    expect(converted.info["Page size"]).toContain("612 x 792 pts (letter)");
    const fonts = execFileSync("pdffonts", [converted.path], { encoding: "utf8" }).trim().split("\n").slice(2);
    // The font is embedded, and a subset.
    expect(fonts).toHaveLength(1);
    expect(fonts[0]).toMatch(/^[A-Z]{6}\+\S+ .* yes yes /);
  });

  test("job options take precedence, and a program cannot change them", async () => {
    const jobOptions = { parameters: "/CompatibilityLevel 1.4 /EmbedAllFonts false /NeverEmbed [ /Helvetica ]" };
    const program = document("<< /CompatibilityLevel 1.3 /EmbedAllFonts true >> setdistillerparams (x) show showpage");
    const { info, objects } = await convert(by(mode), program, { jobOptions });
    expect(info["PDF version"]).toBe("1.4");
    expect(objects()).not.toContain("/FontFile");
  });

  test("a page is as large as the program says, and is not turned", async () => {
    const page = (width: number, height: number) =>
      `<< /PageSize [ ${width} ${height} ] >> setpagedevice 90 rotate /Helvetica 9 selectfont 20 -40 moveto (up) show showpage\n`;
    const { path } = await convert(by(mode), `%!PS\n${page(595, 842)}${page(842, 595)}`);
    const sizes = execFileSync("pdfinfo", ["-l", "2", path], { encoding: "utf8" });
    expect(sizes).toMatch(/Page +1 size: +595 x 842 pts/);
    expect(sizes).toMatch(/Page +2 size: +842 x 595 pts/);
    expect(sizes).not.toMatch(/rot: +[1-9]/);
  });

  test("title and author come from the comments, unless the document says better", async () => {
    const comments =
      "%!PS-Adobe-3.0\n%%Title: (A \\(good\\) title)\n%%For: J\xf6rg\n%%Creator: by hand\n%%EndComments\n";
    expect((await convert(by(mode), `${comments}showpage\n`)).info).toMatchObject({
      Title: "A (good) title",
      Author: "Jörg",
      Creator: "by hand",
    });
    const own = await convert(by(mode), `${comments}[ /Title (Another) /DOCINFO pdfmark showpage\n`);
    expect(own.info).toMatchObject({ Title: "Another", Author: "Jörg" });
  });

  test("bookmarks and links are kept", async () => {
    const marks = `[ /Title (Chapter) /Page 2 /View [ /Fit ] /OUT pdfmark
[ /Rect [ 70 700 200 740 ] /Action << /Subtype /URI /URI (https://example.com/) >> /Subtype /Link /ANN pdfmark
showpage showpage`;
    const objects = (await convert(by(mode), document(marks))).objects();
    expect(objects).toContain("/Title (Chapter)");
    expect(objects).toContain("/URI (https://example.com/)");
  });

  test("spot colors, CMYK and overprint stay what they are", async () => {
    const body = `true setoverprint [ /Separation (Gold) /DeviceCMYK { dup 0.5 mul exch 0 exch 0 exch pop 0 } ] setcolorspace
0.8 setcolor 0 0 99 99 rectfill 0.1 0.2 0.3 0.4 setcmykcolor 99 99 99 99 rectfill showpage`;
    const objects = (await convert(by(mode), document(body))).objects();
    expect(objects).toMatch(/\/Separation\s+\/Gold\s+\/DeviceCMYK/);
    expect(objects).toMatch(/0\.100\d* 0\.(?:200|199)\d* 0\.300\d* 0\.(?:400|399)\d* k/);
    expect(objects).toMatch(/\/op true/);
  });

  test.each([
    ["is no PostScript", "%!PS\nthis is not a program\n"],
    ["ends with an error after a page", document("showpage nonsense")],
    [
      "reports an error in the way of printer drivers",
      document("showpage (%%[ Error: undefined ]%%) = flush showpage"),
    ],
    ["stops by itself after a page", document("showpage stop")],
    ["has an error handler that says nothing", document("errordict /handleerror { } put showpage nonsense showpage")],
    ["has an error handler that quits", document("errordict /undefined { pop quit } put showpage nonsense showpage")],
    ["quits before its end", document("showpage quit (the rest) show showpage")],
    ["quits before its last page", "%!PS-Adobe-3.0\n%%Pages: 2\n%%EndComments\nshowpage quit\n"],
    ["has no page", document("(nothing to see) show")],
    ["quits without a page", document("quit")],
    ["hides its pages", document("/showpage { } def (a) show showpage")],
    ["is nothing but a comment", "%!PS\n"],
    [
      "redefines what is used to judge it",
      document("/stopped { exec false } def /get { pop pop 9 } def showpage nonsense"),
    ],
    ["asks for a page of no size", document("<< /PageSize [ 0 0 ] >> setpagedevice showpage")],
    ["asks for a page that is wider than the earth", document("<< /PageSize [ 1e12 9 ] >> setpagedevice showpage")],
  ])("a program that %s gives no PDF", async (_, program) => {
    await expect(convert(by(mode), program)).rejects.toEqual(failsWith("damaged"));
  });

  test.each([
    ["an error that is caught", document("{ nonsense } stopped clear showpage"), 1],
    ["quit at its end", "%!PS-Adobe-3.0\n%%Pages: 1\n%%EndComments\nshowpage quit\n%%EOF\n\x04", 1],
    [
      "quit in a program within it",
      document("currentfile /ASCIIHexDecode filter cvx exec\n73686f77706167652071756974>"),
      1,
    ],
    ["clear, cleardictstack and grestoreall", document("gsave showpage clear cleardictstack grestoreall showpage"), 2],
    [
      "a page device that is saved and restored",
      document("save << /PageSize [ 99 99 ] >> setpagedevice showpage restore showpage"),
      2,
    ],
  ])("%s is no error", async (_, program, count) => {
    expect((await convert(by(mode), program)).pages).toBe(count);
  });

  test("scratch folders are gone after success and failure", async () => {
    const before = readdirSync(scratch.path);
    await convert(by(mode), pages(1));
    await expect(convert(by(mode), "%!PS\n")).rejects.toEqual(failsWith("damaged"));
    expect(readdirSync(scratch.path)).toEqual(before);
  });

  test("a program that takes too long is ended", async () => {
    await expect(convert(by(mode), ENDLESS, { timeoutMs: 600 })).rejects.toEqual(failsWith("timed-out"));
  });
});

describe("pictures", () => {
  const dpis = [72, 150, 200, 300, 302, 330, 400, 600];

  test.each([
    ["rgb", 300],
    ["cmyk", 150],
    ["gray", 75],
  ] as const)("%s: %i dpi at most", async (kind, maxImageDpi) => {
    const pictures = picturesIn(await convert(zygote, picturesOf(kind, dpis), { maxImageDpi }));
    expect(pictures).toHaveLength(dpis.length);
    for (const [index, { dpi }] of pictures.entries()) {
      // Images up to 1 % above the limit are not resampled.
      const original = dpis[index]!;
      expect(dpi).toBe(original <= maxImageDpi * 1.01 ? original : maxImageDpi);
    }
  });

  test("of one bit are left to what comes after", async () => {
    const pictures = picturesIn(await convert(zygote, picturesOf("mono", dpis), { maxImageDpi: 75 }));
    expect(pictures.map(({ dpi }) => dpi)).toEqual(dpis);
  });

  test("off leaves them as they are", async () => {
    for (const kind of ["rgb", "mono"] as const) {
      const pictures = picturesIn(await convert(zygote, picturesOf(kind, dpis)));
      expect(pictures.map(({ dpi }) => dpi)).toEqual(dpis);
    }
  });

  test("lossy is JPEG, lossless has every bit", async () => {
    const program = picturesOf("rgb", [200]);
    const lossy = await convert(zygote, program);
    const lossless = await convert(zygote, program, { lossless: true });
    expect(picturesIn(lossy)[0]!.encoding).toBe("jpeg");
    expect(picturesIn(lossless)[0]!.encoding).toBe("image");
    const samples = program.slice(program.indexOf("image\n") + 6, program.indexOf(">\ngrestore"));
    const ppm = execFileSync("sh", [
      "-c",
      `pdfimages ${lossless.path} ${lossless.path} && cat ${lossless.path}-000.ppm`,
    ]);
    expect(ppm.subarray(-200 * 200 * 3).equals(Buffer.from(samples.replaceAll("\n", ""), "hex"))).toBe(true);
  });

  test("the program's own wishes for compression and resolution do not count", async () => {
    const wishes = `<< /LockDistillerParams false >> setdistillerparams << /LockDistillerParams false >> setpagedevice
<< /DownsampleColorImages false /ColorImageResolution 2400 /AutoFilterColorImages false /ColorImageFilter /FlateEncode
/CompatibilityLevel 1.2 /EmbedAllFonts false >> setdistillerparams\n`;
    const program = picturesOf("rgb", [300]).replace("%!PS\n", `%!PS\n${wishes}`);
    const converted = await convert(zygote, program, { maxImageDpi: 75 });
    expect(picturesIn(converted)).toEqual([{ color: "rgb", encoding: "jpeg", dpi: 75 }]);
    expect(converted.info["PDF version"]).toBe("1.7");
  });
});

describe("trouble in the zygote", () => {
  const works = async () => expect((await convert(zygote, pages(2))).pages).toBe(2);

  test("an aborted job ends its child and throws the signal's reason", async () => {
    const controller = new AbortController();
    const reason = new Error("client gone");
    const outcome = expect(convert(zygote, ENDLESS, {}, controller.signal)).rejects.toBe(reason);
    const child = await aChild(zygote);
    controller.abort(reason);
    await outcome;
    expect(existsSync(`/proc/${child}`)).toBe(false);
    await works();
  });

  test("fifty programs in a row leave no process and no file behind", async () => {
    await works();
    const left = () => ({
      children: childrenOf(zygote.pid as number),
      files: readdirSync(scratch.path, { recursive: true }),
    });
    const before = left();
    for (let i = 0; i < 50; i++) await convert(zygote, i % 5 === 0 ? eps([0, 0, 50, 50]) : pages(1));
    expect(left()).toEqual(before);
    expect(before.children).toEqual([]);
  });

  test("ends with the service, even if that is killed in mid-job", async () => {
    const module = (path: string) => JSON.stringify(join(import.meta.dirname, "../../..", path));
    const script = `
      import { writeFileSync } from "node:fs";
      import { startGhostscript } from ${module("engines/ghostscript/ghostscript.ts")};
      import { Scratch } from ${module("scratch/scratch.ts")};
      const path = ${JSON.stringify(join(documents, "endless.ps"))};
      writeFileSync(path, ${JSON.stringify(ENDLESS)});
      const ghostscript = await startGhostscript({ scratch: await Scratch.open(${JSON.stringify(documents)}), log() {} });
      console.log(ghostscript.pid);
      await ghostscript.convertToPdf({ name: "a.ps", path }, "/dev/null", { lossless: false });`;
    const service = spawn(process.execPath, ["--no-warnings", "--input-type=module", "-e", script], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    const pid = Number(await new Promise((resolve) => service.stdout.once("data", resolve)));
    await eventually(() => expect(childrenOf(pid)).not.toEqual([]));
    const pids = [pid, ...childrenOf(pid)];
    const ended = once(service, "exit");
    service.kill("SIGKILL");
    await ended;
    await eventually(() => expect(pids.filter(isRunning)).toEqual([]));
    // Opening the next scratch folder deletes what a killed server left behind.
    await using next = await Scratch.open(documents);
    expect(readdirSync(documents).filter((name) => name.startsWith("pagewright-"))).toEqual([
      next.path.slice(documents.length + 1),
    ]);
  });
});

describe.runIf(corpusDir !== undefined)("real documents", () => {
  const path = (name: string) => join(corpusDir as string, "postscript", name);

  test.each([
    ["document-a4.ps", 4, "595 x 842 pts (A4)"],
    ["manual.ps", 170, "595 x 842 pts (A4)"],
    ["06_color_shading.ps", 1, "612 x 792 pts (letter)"],
    ["1.eps", 1, "72 x 48.24 pts"],
    ["non_zero_bb.eps", 1, "360 x 252 pts"],
    ["zero_bb_trailer.eps", 1, "460 x 352 pts"],
    ["illuCS6_preview.eps", 1, "402.52 x 2447.39 pts"],
    ["logo.eps", 1, "548.1 x 565.79 pts"],
    ["fixture.eps", 1, "612 x 792 pts (letter)"],
    ["cdw-logo.eps", 1, "194 x 194 pts"],
  ])("%s has %i pages of %s, and looks the same both ways", async (name, count, size) => {
    const warm = await convert(zygote, { path: path(name) });
    expect([warm.pages, warm.info["Page size"]]).toEqual([count, size]);
    const cold = await convert(plain, { path: path(name) });
    expect(cold.pages).toBe(count);
    const [a, b] = await Promise.all([warm, cold].map(async (pdf) => popplerPage(await readDocument(pdf.path), 1, 50)));
    expect(perceptualDistance(a!, b!, 1)).toBe(0);
  });

  test.each([false, true])("JPEG data pass through, lossless %s", async (lossless) => {
    const jpeg = readFileSync(join(corpusDir as string, "images/Portrait_8.jpg"));
    const program = `%!PS\n432 288 scale /DeviceRGB setcolorspace << /ImageType 1 /Width 1800 /Height 1200
/BitsPerComponent 8 /Decode [ 0 1 0 1 0 1 ] /ImageMatrix [ 1800 0 0 -1200 0 1200 ]
/DataSource currentfile /ASCIIHexDecode filter /DCTDecode filter >> image\n${jpeg.toString("hex")}>\nshowpage\n`;
    const { path } = await convert(zygote, program, { lossless, maxImageDpi: 300 });
    execFileSync("pdfimages", ["-j", path, path]);
    const samples = (file: string) => execFileSync("djpeg", ["-pnm", file], { maxBuffer: 2 ** 24 });
    expect(samples(`${path}-000.jpg`).equals(samples(join(corpusDir as string, "images/Portrait_8.jpg")))).toBe(true);
  });

  test.each(["vdp.ps", "timeout-d675703545fee17acab56e5fec644c19979175de.eps"])("%s is damaged", async (name) => {
    for (const mode of ["zygote", "plain"] as const) {
      await expect(convert(by(mode), { path: path(name) })).rejects.toEqual(failsWith("damaged"));
    }
  });
});
