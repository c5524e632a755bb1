// Tests the command line without a service: which files it rejects, skips and chooses, and how it names outputs.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { afterAll, describe, expect, test } from "vitest";
import { numbersOf } from "../../../client/cli/numbers.ts";
import { readOperands } from "../../../client/cli/operands.ts";
import { optionsOf, paramsOf, withWords } from "../../../client/cli/parameters.ts";
import { run } from "../../../client/cli/program.ts";
import { withoutPdfs } from "../../../client/cli/skipping.ts";
import { targetsOf } from "../../../client/cli/targets.ts";
import { complaintOf } from "../../../client/cli/terminal/complaint.ts";
import { htmlIn } from "../../../client/cli/terminal/html-text.ts";
import { errorSaying } from "../../../client/core/error.ts";
import { OPERATION_SCHEMAS } from "../../../client/generated/operation-schemas.ts";
import { invalidKey, keyRequired, type ServiceError } from "../../../src/service/http/contract/errors.ts";
import { docx, paragraph } from "../../fixtures/office.ts";

const folder = mkdtempSync(join(tmpdir(), "command-line-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const operation = (name: string) => OPERATION_SCHEMAS.find((each) => each.name === name)!;
const bytes = (text: string) => Buffer.from(text, "latin1");

describe("html", () => {
  test.each([
    ["<p>text", "<p>text"],
    ["\xef\xbb\xbf<!doctype html><p>\xc3\xa4", "<!doctype html><p>ä"],
    ["\xff\xfe<\0p\0>\0\xe4\0", "<p>ä"],
    [
      '<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml"/>',
      '<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml"/>',
    ],
    ["plain text: a string", "plain text: a string"],
  ])("takes %j", (given, text) => {
    expect(htmlIn(bytes(given), "a.html")).toBe(text);
  });

  test.each([
    [docx({ body: paragraph("Hello") }), "Office document"],
    [bytes("%PDF-1.4\n1 0 obj"), "a PDF"],
    [bytes("{\\rtf1 text}"), "RTF"],
    [bytes("%!PS-Adobe-3.0\nshowpage"), "PostScript"],
    [bytes('<?xml version="1.0"?>\n<office:document office:version="1.2"/>'), "XML"],
    [bytes("\x89PNG\r\n\x1a\n\0"), "not text"],
    [bytes("<p>\xe4\xf6"), "not text in UTF-8"],
    [bytes("MIME-Version: 1.0\r\nContent-Type: multipart/related\r\n"), "web archive"],
  ])("refuses another document: %#", (content, why) => {
    expect(() => htmlIn(content, "a.x")).toThrow(why);
    expect(() => htmlIn(content, "a.x")).toThrow("pagewright pdf a.x");
  });
});

describe("names of outputs", () => {
  const numbers = (selection: string | undefined, outputs: number, pages: number | undefined) =>
    numbersOf(operation("png"), selection, outputs, async () => pages);

  test("are those of the pages, with zeros", async () => {
    expect(await numbers("2-3", 2, 4)).toEqual(["2", "3"]);
    expect(await numbers("9,12-10", 4, 100)).toEqual(["009", "012", "011", "010"]);
    expect(await numbers("last-98", 3, 100)).toEqual(["100", "099", "098"]);
    expect(await numbers("1,1", 2, 12)).toEqual(["01", "01 (2)"]);
    expect((await numbers(undefined, 100, undefined)).filter((_, index) => index % 49 === 0)).toEqual([
      "001",
      "050",
      "099",
    ]);
  });

  test("are those of the parts if the pages are not known", async () => {
    expect(await numbers("5-6", 2, undefined)).toEqual(["1", "2"]);
    expect(await numbers("1-9999999999", 2, 10)).toEqual(["1", "2"]);
  });

  test("-o names the output if there is one", () => {
    const [operand] = [{ kind: "path", value: "a.pdf", shown: "a.pdf" } as const];
    const [target] = targetsOf(operation("png"), [[operand]], { out: "pages/x.png" }, ".png");
    expect(target).toEqual({ path: "pages/", stem: "x", extension: ".png", only: "pages/x.png" });
  });

  test("-o names an archive if it ends in .zip, of operations that make several outputs", () => {
    const [operand] = [{ kind: "path", value: "a.pdf", shown: "a.pdf" } as const];
    const targetFor = (name: string, out: string, extension: string) =>
      targetsOf(operation(name), [[operand]], { out }, extension)[0];
    for (const name of ["png", "jpg", "split"]) {
      const target = { path: "pages/x.ZIP", stem: "x", extension: ".png", isArchive: true };
      expect(targetFor(name, "pages/x.ZIP", ".png")).toEqual(target);
    }
    expect(targetFor("compress", "x.zip", ".pdf")).toEqual({ path: "x.zip", stem: "x", extension: ".pdf" });
    expect(targetFor("png", "zip", ".png")).not.toHaveProperty("isArchive");
  });
});

test("compress and pdfa have defaults, which a profile changes", () => {
  const chosen = (name: string) => optionsOf(operation(name)).filter(({ defaultValue }) => defaultValue !== undefined);
  expect(chosen("compress").map(({ long, defaultValue }) => [long, defaultValue])).toEqual([
    ["--compression-level", "medium"],
  ]);
  expect(chosen("pdfa").map(({ long, defaultValue }) => [long, defaultValue])).toEqual([["--output-type", "PDF/A-2b"]]);
  for (const name of ["compress", "pdfa"])
    expect(optionsOf(operation(name)).some(({ mandatory }) => mandatory)).toBe(false);
});

describe("a password", () => {
  const variable = "PAGEWRIGHT_NEW_OPEN_PASSWORD";
  const encrypt = operation("encrypt");
  const own = mkdtempSync(join(tmpdir(), "command-line-passwords-"));
  afterAll(() => rmSync(own, { recursive: true, force: true }));
  const path = join(own, "password.txt");
  writeFileSync(path, "of the file\r\nsecond line\n");

  test.each([
    [{ newOpenPassword: "of the option", newOpenPasswordFile: path }, { [variable]: "of it" }, "of the option"],
    [{ newOpenPasswordFile: path }, { [variable]: "of it" }, "of the file"],
    [{}, { [variable]: "of it" }, "of it"],
  ])("is taken from %j and %j", async (options, environment, newOpenPassword) => {
    expect(await paramsOf(encrypt, options, environment)).toEqual({ newOpenPassword });
  });

  test("has no default, and can be missing only if it is optional", async () => {
    for (const each of OPERATION_SCHEMAS) {
      for (const { name } of each.parameters.filter(({ control }) => control === "password")) {
        const flag = `--${name.replaceAll("_", "-")}`;
        const options = optionsOf(each).filter(({ long }) => long === flag || long === `${flag}-file`);
        expect(options.map(({ mandatory, defaultValue }) => [mandatory, defaultValue])).toEqual([
          [false, undefined],
          [false, undefined],
        ]);
      }
    }
    expect(await paramsOf(operation("png"), {}, {})).toEqual({});
    const surroundings = around();
    writeFileSync(join(own, "a.pdf"), "%PDF-1.7");
    expect(await run(["encrypt", join(own, "a.pdf"), "-d", own], surroundings)).toBe(2);
    expect(surroundings.said()).toContain(variable);
    await expect(paramsOf(encrypt, { newOpenPasswordFile: join(own, "missing") })).rejects.toThrow("cannot be read");
  });
});

describe("JSON", () => {
  const own = mkdtempSync(join(tmpdir(), "command-line-json-"));
  afterAll(() => rmSync(own, { recursive: true, force: true }));
  const path = join(own, "settings.json");
  writeFileSync(path, "[]");

  test("is in a file, or is itself the value unless it is secret", async () => {
    const metadata = ' {"title":"A"}';
    expect(await paramsOf(operation("setMetadata"), { metadata })).toEqual({ metadata });
    expect(await paramsOf(operation("setMetadata"), { metadata: path })).toEqual({ metadata: "[]" });
    expect(await paramsOf(operation("markRedactions"), { redactions: path })).toEqual({ redactions: "[]" });
    const given = paramsOf(operation("markRedactions"), { redactions: "[]" });
    await expect(given).rejects.toThrow("--redactions is the path of a file, or - for standard input.");
    const mistaken = paramsOf(operation("markRedactions"), { redactions: "Jane Doe" });
    await expect(mistaken).rejects.toThrow(/^The file of --redactions cannot be read: ENOENT$/);
    const longs = optionsOf(operation("markRedactions")).map(({ long }) => long);
    expect(longs).not.toContain("--redactions-file");
  });
});

test("help names the choices of a list, and says that it repeats", () => {
  const about = (name: string, long: string) => optionsOf(operation(name)).find((option) => option.long === long);
  const restrictions = about("restrict", "--restrictions");
  expect(restrictions?.description).toContain("can be repeated");
  expect(restrictions?.argChoices).toContain("print_high");
  expect(about("info", "--queries")?.description).toContain("choices: tagged, ");
});

test("the words of a list are separated by commas or spaces, or the option is repeated", () => {
  const option = optionsOf(operation("restrict")).find(({ long }) => long === "--restrictions")!;
  const read = (text: string, all?: readonly string[]) => option.parseArg!(text, all as never);
  expect(read("print_low, copy_content", ["edit_content"])).toEqual(["edit_content", "print_low", "copy_content"]);
  const moved = (operands: readonly string[], options = {}) => withWords(operation("restrict"), operands, options);
  const restrictions = ["print_low"];
  expect(moved(["copy_content", "a.pdf"], { restrictions })).toEqual({
    operands: ["a.pdf"],
    options: { restrictions: ["print_low", "copy_content"] },
  });
  for (const files of [["./copy_content"], ["copy_content.pdf"]])
    expect(moved(files, { restrictions }).operands).toEqual(files);
  expect(moved(["copy_content"])).toEqual({ operands: ["copy_content"], options: {} });
});

test("a command whose operands are all words of a list has no file", async () => {
  const surroundings = around();
  const args = ["restrict", "--new-permissions-password", "secret", "--restrictions", "print_low", "copy_content"];
  expect(await run(args, surroundings)).toBe(2);
  expect(surroundings.said()).toContain("Name a file.");
});

test("only one operand or option reads standard input", async () => {
  const surroundings = around();
  expect(await run(["encrypt", "-", "--new-open-password-file", "-", "-o", "-"], surroundings)).toBe(2);
  expect(surroundings.said()).toContain("Only one operand or option can be -.");
});

test("a number has a fraction where the contract allows one", () => {
  const read = (name: string, text: string) =>
    optionsOf(operation("blank")).find(({ long }) => long === name)!.parseArg!(text, undefined);
  expect(read("--custom-width", "0.5")).toBe(0.5);
  expect(() => read("--custom-width", "0")).toThrow("It must be a number from 0.01 to 14400.");
  expect(() => read("--page-count", "1.5")).toThrow("It must be a whole number from 1 to 1000.");
});

test("an operation without an input takes no file", async () => {
  const surroundings = around();
  expect(await run(["blank-pdf", "--page-orientation", "portrait", "a.pdf"], surroundings)).toBe(2);
  expect(surroundings.said()).toContain("too many arguments");
  const [target] = targetsOf(operation("blank"), [[]], {}, ".pdf");
  expect(target).toMatchObject({ path: "blank.pdf", stem: "blank" });
});

function around() {
  let said = "";
  const write = (text: string) => {
    said += text;
    return true;
  };
  const stderr = Object.assign(new PassThrough(), { write });
  const streams = { stdin: new PassThrough(), stdout: new PassThrough(), stderr };
  return { ...streams, env: {}, signal: new AbortController().signal, said: () => said };
}

test.each([["convert", "a.docx"], ["convert", "--to", "pdf", "a.docx"], ["convert"]])(
  "%s %s suggests",
  async (...args) => {
    const surroundings = around();
    expect(await run(args.filter(Boolean), surroundings)).toBe(2);
    expect(surroundings.said()).toMatch(/pagewright pdf .*\.docx".* There are .*png/);
  },
);

test("pdf skips PDFs among several files, each with a line", async () => {
  writeFileSync(join(folder, "a.pdf"), "%PDF-1.4\n");
  writeFileSync(join(folder, "renamed.docx"), "%PDF-1.4\n");
  writeFileSync(join(folder, "b.html"), "<p>");
  const surroundings = around();
  const left = await withoutPdfs(await readOperands([folder]), false, surroundings);
  expect(left.map(({ value }) => value)).toEqual([join(folder, "b.html")]);
  expect(
    surroundings
      .said()
      .split("\n")
      .map((line) => line.split(": ").at(-1)),
  ).toEqual(["skipped, it is a PDF already.", "skipped, it is a PDF already.", ""]);
  expect(await withoutPdfs(await readOperands([join(folder, "a.pdf")]), false, surroundings)).toHaveLength(1);
});

test("a failure names what failed once, and a key that is missing how to send one", () => {
  const told = ({ status, message }: ServiceError) => complaintOf("a.pdf", errorSaying(status, message));
  expect(told(keyRequired())).toBe(
    "pagewright: a.pdf: An Api-Key header is required to send this request. " +
      "Pass the key with --api-key, PAGEWRIGHT_API_KEY or the configuration file.",
  );
  expect(told(invalidKey())).toBe("pagewright: a.pdf: The provided key is not valid.");
  expect(complaintOf("a.pdf", new Error("a.pdf cannot be read."))).toBe("pagewright: a.pdf cannot be read.");
});
