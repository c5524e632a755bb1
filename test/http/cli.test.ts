// Tests the command line `pagewright` in a separate process, with a whole service.
// Contract: docs/api.md#stored-files
import { type ChildProcess, execFileSync, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { unzipSync, zipSync } from "fflate";
import { afterAll, beforeEach, describe, expect, inject, type TestContext, test } from "vitest";
import { docx, paragraph } from "../fixtures/office.ts";
import { fieldPdf, labeledPdf, textPdf } from "../fixtures/pdfs.ts";
import { textAndInfoOf } from "../support/pdf-readers.ts";
import { startSite } from "../support/web.ts";

const root = join(import.meta.dirname, "../..");
const main = join(root, "client/cli/main.ts");
const { private: service, keyed } = inject("services");
const base = mkdtempSync(join(tmpdir(), "cli-"));
afterAll(() => rmSync(base, { recursive: true, force: true }));

/** A new folder for each test. */
let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(base, "test-"));
});

interface Ran {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}
const env: NodeJS.ProcessEnv = {
  ...process.env,
  PAGEWRIGHT_URL: service.url,
  XDG_CONFIG_HOME: base,
  NODE_NO_WARNINGS: "1",
};
const begin = (args: readonly string[], around: NodeJS.ProcessEnv = env): ChildProcess =>
  spawn(process.execPath, [main, ...args], { cwd: folder, env: around });
async function pagewright(args: readonly string[], { input = "", around = env } = {}): Promise<Ran> {
  const child = begin(args, around);
  const [stdout, stderr]: Buffer[][] = [[], []];
  child.stdout!.on("data", (chunk) => stdout!.push(chunk));
  child.stderr!.on("data", (chunk) => stderr!.push(chunk));
  child.stdin!.end(input);
  const [code] = (await once(child, "close")) as [number | null];
  const text = (chunks: Buffer[] = []) => Buffer.concat(chunks).toString("latin1");
  return { code, stdout: text(stdout), stderr: text(stderr) };
}
const write = (name: string, bytes: Uint8Array | string) => writeFileSync(join(folder, name), bytes);
const read = (name: string) => readFileSync(join(folder, name));
const labelsOf = (name: string) => textAndInfoOf(read(name)).text.match(/[A-Z]\d/g);
const startOf = (name: string) => read(name).subarray(0, 4).toString("latin1");

describe("examples of the README", () => {
  test("a document becomes PDF/A by way of PDF", async () => {
    write("report.docx", docx({ body: paragraph("Hello") }));
    const ran = await pagewright(["pdfa", "report.docx", "-o", "report.pdf", "--output-type", "PDF/A-2b"]);
    expect([ran.code, ran.stdout]).toEqual([0, "report.pdf\n"]);
    expect(read("report.pdf").toString("latin1")).toContain("pdfaid");
  });

  test("pages become pictures in a folder", async () => {
    write("a.pdf", await textPdf(2, [144, 144]));
    write("b.pdf", await textPdf(1, [144, 144]));
    const ran = await pagewright(["png", "*.pdf", "--resolution", "20", "-d", "pages/"]);
    expect([ran.code, ran.stdout.split("\n").toSorted()]).toEqual([
      0,
      ["", "pages/a_1.png", "pages/a_2.png", "pages/b_1.png"],
    ]);
    expect(readdirSync(join(folder, "pages")).toSorted()).toEqual(["a_1.png", "a_2.png", "b_1.png"]);
  });

  test("unpacked files keep their names, in a folder for each archive", async () => {
    const files = { "a.txt": Buffer.from("A"), "folder/b.csv": Buffer.from("B") };
    write("x.zip", zipSync(files));
    write("y.zip", zipSync({ "a.txt": Buffer.from("Y") }));
    expect((await pagewright(["unzip", "x.zip", "y.zip", "-d", "out"])).code).toBe(0);
    const texts = ["out/x/a.txt", "out/x/b.csv", "out/y/a.txt"].map((name) => read(name).toString());
    expect(texts).toEqual(["A", "B", "Y"]);
  });

  test("exported form data have the extension of their format", async () => {
    write("form.pdf", await fieldPdf(1));
    for (const format of ["fdf", "xml"]) {
      const ran = await pagewright(["export-form-data", "form.pdf", "--data-format", format]);
      expect([ran.code, ran.stdout]).toEqual([0, `form.${format}\n`]);
    }
    expect(startOf("form.fdf")).toBe("%FDF");
  });

  test("chosen pages are merged", async () => {
    write("a.pdf", await labeledPdf("A", 4));
    write("b.pdf", await labeledPdf("B", 1));
    expect((await pagewright(["merge", "a.pdf:3-2,last", "b.pdf", "-o", "c.pdf"])).code).toBe(0);
    expect(labelsOf("c.pdf")).toEqual(["A3", "A2", "A4", "B1"]);
  });

  test("standard input and output", async () => {
    const { code, stdout } = await pagewright(["pdf", "-"], { input: "<!doctype html><p>text" });
    expect([code, stdout.slice(0, 5)]).toEqual([0, "%PDF-"]);
    write("a.pdf", stdout);
    expect((await pagewright(["jpg", "a.pdf", "--resolution", "20", "-o", "-"])).stdout.slice(0, 2)).toBe("\xff\xd8");
  });
});

test("steps run for each document, whose name the output has, or once if a step joins them", async () => {
  mkdirSync(join(folder, "in"));
  write("in/a.pdf", await labeledPdf("A", 2));
  write("in/b.html", "<!doctype html><p>From HTML");
  write("logo.pdf", await labeledPdf("L", 1));
  const steps = (list: readonly object[]) => write("steps.json", JSON.stringify(list));
  steps([{ "merged-pdf": {} }, { "watermarked-pdf": { watermark_file: "logo.pdf" } }]);
  const joined = await pagewright(["run", "steps.json", "in/*", "-d", "out", "--step-files", "logo.pdf"]);
  expect(joined).toMatchObject({ code: 0, stdout: "out/steps.pdf\n" });
  expect(labelsOf("out/steps.pdf")).toEqual(["A1", "L1", "A2", "L1", "L1"]);
  steps([{ png: { resolution: 20 } }]);
  const divided = await pagewright(["run", "steps.json", "in/a.pdf", "out/steps.pdf:1", "-d", "out"]);
  expect([divided.code, divided.stdout.split("\n").toSorted()]).toEqual([
    0,
    ["", "out/a/a_1.png", "out/a/a_2.png", "out/steps.png"],
  ]);
  steps([{ "rotated-pdf": { angle: 90 } }]);
  expect((await pagewright(["run", "steps.json", "in/a.pdf", "-d", "in"])).stdout).toBe("in/a_steps.pdf\n");
});

test("a page selection works with every operation on PDFs", async () => {
  write("a.pdf", await labeledPdf("A", 4));
  expect((await pagewright(["compress", "a.pdf:2-3", "--compression-level", "low"])).stdout).toBe("a_compress.pdf\n");
  expect(labelsOf("a_compress.pdf")).toEqual(["A2", "A3"]);
  expect((await pagewright(["split", "a.pdf:1-3", "-d", "parts"])).stdout).toBe("parts/a_1.pdf\n");
  expect((await pagewright(["png", "a.pdf:3-4", "--resolution", "20"])).stdout).toBe("a_3.png\na_4.png\n");
  expect((await pagewright(["png", "a.pdf:2", "--resolution", "20", "-o", "x.png"])).stdout).toBe("x.png\n");
  expect((await pagewright(["png", "a.pdf:3-4", "--resolution", "20", "-o", "x.zip"])).stdout).toBe("x.zip\n");
  expect(Object.keys(unzipSync(readFileSync(join(folder, "x.zip"))))).toEqual(["x_1.png", "x_2.png"]);
  expect((await pagewright(["split", "a.pdf", "--pages", "1", "--pages", "3-4"])).stdout).toBe("a_1.pdf\na_2.pdf\n");
});

test("a folder of 50 mixed documents, two of them damaged, four at a time", async () => {
  mkdirSync(join(folder, "documents"));
  const kinds = [
    ["pdf", await textPdf(1, [144, 144])],
    ["docx", docx({ body: paragraph("Hello") })],
    ["html", "<!doctype html><p>text"],
  ] as const;
  for (let number = 1; number <= 48; number++) {
    const [extension, bytes] = kinds[number % kinds.length]!;
    write(`documents/${number}.${extension}`, bytes);
  }
  write("documents/bad.pdf", "this is not a PDF");
  write("documents/bad.docx", "this is no document");
  const ran = await pagewright(["pdfa", "documents", "-d", "archive", "--output-type", "PDF/A-2b", "--jobs", "4"]);
  expect(ran.code).toBe(1);
  expect(readdirSync(join(folder, "archive"))).toHaveLength(48);
  expect(ran.stdout.trimEnd().split("\n")).toHaveLength(48);
  const said = ran.stderr.trimEnd().split("\n");
  expect(said.filter((line) => !line.endsWith("(replaced by NimbusSans-Regular, same widths)")).toSorted()).toEqual([
    "pagewright: documents/bad.docx: Uploaded file is not valid input for this route. " +
      "bad.docx is of no known type; this endpoint takes Word, Excel, PowerPoint, OpenDocument or RTF document, " +
      "PostScript, EPS, HTML, a zip archive with index.html, web archive (MHTML), Markdown, text, CSV, JSON, XML, " +
      "e-mail (EML, MSG), or an image (JPEG, PNG, TIFF, BMP, GIF, WebP, HEIC, AVIF, SVG).",
    "pagewright: documents/bad.pdf: The input file is damaged or is not a PDF.",
  ]);
  for (const name of readdirSync(join(folder, "archive"))) {
    expect(read(`archive/${name}`).toString("latin1")).toContain("pdfaid");
  }
}, 600_000);

test("--json prints an object for each document", async () => {
  write("a.pdf", await textPdf(1, [144, 144]));
  write("bad.pdf", "no");
  const { code, stdout } = await pagewright(["gif", "a.pdf", "bad.pdf", "--resolution", "20", "--json", "-j", "1"]);
  const [good, bad] = stdout
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
  expect([code, good.input, good.outputs, good.ids.length]).toEqual([1, "a.pdf", ["a_1.gif"], 1]);
  expect(bad).toMatchObject({ input: "bad.pdf", error: { status: 400 } });
});

test("data are printed, or saved", async () => {
  write("a.pdf", await labeledPdf("A", 2));
  const data = { page_count: 2, allQueriesProcessed: true };
  const printed = await pagewright(["info", "a.pdf", "--queries", "page_count"]);
  expect([printed.code, JSON.parse(printed.stdout)]).toEqual([0, data]);
  const told = await pagewright(["info", "a.pdf", "--queries", "page_count", "--json"]);
  expect(JSON.parse(told.stdout)).toMatchObject({ input: "a.pdf", outputs: [], data });
  const saved = await pagewright(["info", "a.pdf", "--queries", "page_count", "-d", "out"]);
  expect([saved.stdout, JSON.parse(read("out/a.json").toString())]).toEqual(["out/a.json\n", data]);
});

test("files are uploaded, downloaded and deleted by their ids", async () => {
  write("a.txt", "the text");
  const id = (await pagewright(["upload", "a.txt"])).stdout.trim();
  expect((await pagewright(["download", id, "-o", "back/"])).stdout).toBe("back/a.txt\n");
  expect(read("back/a.txt").toString()).toBe("the text");
  expect((await pagewright(["zip", id, "a.txt", "-o", "a.zip"])).code).toBe(0);
  expect(startOf("a.zip")).toBe("PK\u0003\u0004");
  expect((await pagewright(["delete", id])).code).toBe(0);
  expect(await pagewright(["download", id])).toMatchObject({
    code: 1,
    stderr: `pagewright: ${id}: That file does not exist\n`,
  });
  const both = await pagewright(["upload", "none.txt", "a.txt"]);
  expect([both.code, both.stderr]).toEqual([1, "pagewright: none.txt cannot be read: it does not exist.\n"]);
  expect(both.stdout).toMatch(/^1[\da-f-]{36}\n$/);
});

test("address and key come from options, the environment or the configuration file", async () => {
  write("a.html", "x");
  write("config.json", JSON.stringify({ url: keyed.url, apiKey: keyed.key }));
  const without = { ...env };
  delete (without as NodeJS.ProcessEnv).PAGEWRIGHT_URL;
  const codes = [];
  for (const [args, around] of [
    [["--config", "config.json"], without],
    [["--url", keyed.url, "--api-key", keyed.key], env],
    [[], { ...env, PAGEWRIGHT_URL: keyed.url, PAGEWRIGHT_API_KEY: keyed.key }],
    [["--url", keyed.url], env],
  ] as const) {
    codes.push((await pagewright(["html", "a.html", "-o", "out.html", ...args], { around })).code);
  }
  expect(codes).toEqual([0, 0, 0, 1]);
});

describe("wrong commands", () => {
  test.each([
    [["png"], "missing required argument 'files'"],
    [["nothing"], "unknown command 'nothing'"],
    [["png", "a.pdf", "--resolution", "5"], "It must be a whole number from 12 to 2400."],
    [["png", "a.pdf", "--color-model", "cmyk"], "Allowed choices are rgb, rgba, gray."],
    [["png", "*.nothing"], "No file matches *.nothing."],
    [["png", "a.pdf", "b.pdf", "-o", "c.png"], "--out is for one input: use --dir for several."],
    [["png", "a.pdf", "-o", "c.png", "-d", "d"], "Use --out or --dir, not both."],
    [["png", "-", "-"], "Only one operand can be -."],
    [["png", "a.pdf", "--url", "localhost"], "The URL of the service must be an http or https URL"],
    [["png", "a.pdf", "--config", "nothing.json"], "The configuration file cannot be read"],
  ])("%j ends with 2", async (args, message) => {
    const ran = await pagewright(args);
    expect([ran.code, ran.stdout]).toEqual([2, ""]);
    expect(ran.stderr).toContain(message);
  });
});

test("help tells every parameter with its range", async () => {
  const { code, stdout } = await pagewright(["jpg", "--help"]);
  const help = stdout.replace(/\s+/g, " ");
  expect(code).toBe(0);
  expect(help).toContain(
    "--jpeg-quality <number> Higher gives better quality and larger files. (1 to 100; default: 75)",
  );
  expect(help).toContain('choices: "rgb", "cmyk", "gray"');
  expect((await pagewright(["--help"])).stdout).toContain("2 the command is wrong");
});

test("bash completes commands, options and values", async () => {
  const { stdout } = await pagewright(["completion", "bash"]);
  const complete = (...words: string[]) => {
    const set = `COMP_WORDS=(${words.map((word) => `'${word}'`).join(" ")}); COMP_CWORD=${words.length - 1}`;
    const script = `${stdout}\n${set}; _pagewright; printf '%s\\n' "\${COMPREPLY[@]}"`;
    return execFileSync("bash", ["-c", script], { encoding: "utf8" }).trimEnd().split("\n");
  };
  expect(complete("pagewright", "pd")).toEqual(["pdf", "pdfa"]);
  expect(complete("pagewright", "png", "--res")).toEqual(["--resolution"]);
  expect(complete("pagewright", "png", "--color-model", "rg")).toEqual(["rgb", "rgba"]);
  expect(complete("pagewright", "png", "--color-model", "=", "g")).toEqual(["gray"]);
  expect(complete("pagewright", "completion", "")).toEqual(["bash", "zsh", "fish"]);
  // Readline completes and quotes file names.
  write("two words.pdf", "");
  expect(complete("pagewright", "png", "two")).toEqual([""]);
});

describe("other shells", () => {
  const shell = (name: string, args: readonly string[], test: TestContext) => {
    const { error, stdout, stderr } = spawnSync(name, args, { cwd: folder, encoding: "utf8" });
    if (error) {
      console.log(`The completion for ${name} is not tested: ${name} is not installed.`);
      test.skip(`${name} is not installed.`);
    }
    expect(stderr).toBe("");
    return stdout.trimEnd().split("\n");
  };

  test("fish completes commands, options, values and files", async (test) => {
    write("script.fish", (await pagewright(["completion", "fish"])).stdout);
    write("two words.pdf", "");
    const complete = (line: string) => {
      const found = shell("fish", ["-N", "-c", `source script.fish; complete -C ${JSON.stringify(line)}`], test);
      return found.map((entry) => entry.split("\t")[0]);
    };
    expect(complete("pagewright pd")).toEqual(["pdf", "pdfa"]);
    expect(complete("pagewright png --color-model ")).toEqual(["gray", "rgb", "rgba"]);
    expect(complete("pagewright completion ")).toEqual(["bash", "fish", "zsh"]);
    expect(complete("pagewright png --out two")).toEqual(["two words.pdf"]);
    expect(complete("pagewright png two")).toEqual(["two words.pdf"]);
  });

  test("zsh takes the script", async (test) => {
    const { stdout } = await pagewright(["completion", "zsh"]);
    write("script.zsh", `${stdout}\nprint $_comps[pagewright]`);
    expect(stdout).toContain(":value:(rgb rgba gray)");
    expect(shell("zsh", ["-f", "script.zsh"], test)).toEqual(["_pagewright"]);
  });
});

describe("an interrupted command", () => {
  test.each([
    ["SIGINT", 130],
    ["SIGTERM", 143],
  ] as const)("%s leaves nothing behind, here or at the service", async (signal, code) => {
    const asked: string[] = [];
    const id = "1d0c1f2a5-7d3f-4c39-9d7e-6a0a7f1b0c55";
    // This server never responds to the operation, so that the signal arrives while the operation runs.
    await using busy = await startSite((request, response) => {
      asked.push(`${request.method} ${request.url}`);
      request.resume();
      if (request.url === "/upload") response.end(JSON.stringify({ files: [{ id }] }));
      if (request.method === "DELETE") response.writeHead(204).end();
    });
    write("a.pdf", await textPdf(1));
    const child = begin(["png", "a.pdf", "-d", "pages", "--url", busy.url]);
    child.stdin!.end();
    await expect.poll(() => asked, { timeout: 90_000 }).toContain("POST /png");
    child.kill(signal);
    expect(await once(child, "close")).toEqual([code, null]);
    expect(asked).toEqual(["POST /upload", "POST /png", `DELETE /resource/${id}`]);
    expect(readdirSync(folder)).toEqual(["a.pdf"]);
  });

  test("during a download, the part that came is removed", async () => {
    await using slow = await startSite((_, response) => {
      response.writeHead(200, { "Content-Length": "1000000", "Content-Disposition": "attachment; filename=a.bin" });
      response.write(Buffer.alloc(1000));
    });
    const id = "1d0c1f2a5-7d3f-4c39-9d7e-6a0a7f1b0c55";
    const child = begin(["download", id, "-o", "a.bin", "--url", slow.url]);
    await expect.poll(() => readdirSync(folder).length, { timeout: 90_000 }).toBe(1);
    child.kill("SIGINT");
    expect(await once(child, "close")).toEqual([130, null]);
    expect(readdirSync(folder)).toEqual([]);
  });
});

/** Runs a command in a terminal of 100 columns. Returns the bytes that the terminal received, and the exit code. */
function inTerminal(args: readonly string[]): { readonly screen: string; readonly code: number | null } {
  const command = ["stty cols 100;", process.execPath, main, ...args].join(" ");
  const { stdout, status } = spawnSync("script", ["-qec", command, "/dev/null"], {
    cwd: folder,
    env,
    encoding: "utf8",
  });
  return { screen: stdout, code: status };
}

describe("in a terminal", () => {
  test("bars tell what runs, and make room for the results", async () => {
    for (const name of ["a", "b", "c"]) write(`${name}.pdf`, await textPdf(20));
    const { screen, code } = inTerminal(["png", "*.pdf", "--resolution", "150", "-d", "pages", "-j", "2"]);
    expect(code).toBe(0);
    expect(screen).toMatch(/a\.pdf {2}(starting|converting|\[)/);
    expect(screen).toContain("of 3 done");
    expect(screen).toContain("\u001b[J");
    // At the end, the terminal shows no progress bars.
    const last = screen.slice(screen.lastIndexOf("\u001b[J") + 3);
    expect(last).not.toMatch(/done|converting/);
    expect(readdirSync(join(folder, "pages"))).toHaveLength(60);
  });

  test("documents are not written to it", () => {
    const { screen, code } = inTerminal(["pdf", "-"]);
    expect([code, screen]).toEqual([2, expect.stringContaining("Documents are not written to a terminal")]);
  });
});

test("two inputs of one name do not write to one file, and no input is overwritten", async () => {
  for (const name of ["x", "y"]) {
    mkdirSync(join(folder, name));
    write(`${name}/a.html`, name);
  }
  expect((await pagewright(["pdf", "x/a.html", "y/a.html"])).stdout.split("\n").toSorted()).toEqual([
    "",
    "a (2).pdf",
    "a.pdf",
  ]);
  cpSync(join(folder, "a.pdf"), join(folder, "kept.pdf"));
  await pagewright(["linearize", "a.pdf", "--url", keyed.url, "--api-key", keyed.key]);
  expect(existsSync(join(folder, "a_linearize.pdf"))).toBe(true);
  expect(read("a.pdf").equals(read("kept.pdf"))).toBe(true);
});
