// Tests the code that the workbench generates for a request.
// Contract: docs/api.md#workbench
import { describe, expect, test } from "vitest";
import { type CallSettings, callOf } from "../../../site/workbench/session/call.ts";
import { LANGUAGES } from "../../../src/service/reference/snippets/languages.ts";
import { operationOf } from "./described-operations.ts";

function write(language: string, path: string, settings: Partial<CallSettings>): string {
  const call = callOf(operationOf(path), {
    ...{ baseUrl: "https://example.com", keyed: false, inputs: [], values: {} },
    ...settings,
  });
  return LANGUAGES.find(({ id }) => id === language)!.write([call]);
}

const merged: Partial<CallSettings> = {
  keyed: true,
  inputs: [
    { kind: "file", value: "it's a.pdf", pages: "1-3" },
    { kind: "url", value: "https://example.org/b.pdf", pages: "all" },
  ],
  values: { output: "both" },
};

test("the languages are those of the tabs", () => {
  expect(LANGUAGES.map(({ name }) => name)).toEqual(["curl", "JavaScript", "Python", "PHP", "CLI"]);
});

test("curl quotes for the shell, and leaves the key to a variable", () => {
  expect(write("curl", "/merged-pdf", merged)).toBe(
    [
      "curl https://example.com/merged-pdf",
      "-H 'Accept: application/pdf'",
      '-H "Api-Key: $API_KEY"',
      `-F 'file=@it'\\''s a.pdf'`,
      "-F 'url[]=https://example.org/b.pdf'",
      "-F 'type[]=file'",
      "-F 'type[]=url'",
      "-F 'pages[]=1-3'",
      "-F 'pages[]=all'",
      "-F output=both",
      "-o both.pdf",
      "--fail --remove-on-error -w '%{onerror}%header{error}\\n'",
    ].join(" \\\n  "),
  );
});

test("several outputs come as an archive", () => {
  const code = write("curl", "/png", { values: { output: "page" } });
  expect(code).toContain("-H 'Accept: application/zip'");
  expect(code).toContain("-o page.zip");
  expect(write("cli", "/png", { values: { output: "page" } })).toContain("-o page.zip");
});

test("data are printed, and not saved", () => {
  const of = (language: string) => write(language, "/pdf-info", { values: { queries: "title" } });
  expect(of("curl")).toMatch(/-F queries=title \\\n {2}--fail-with-body$/);
  expect(of("php")).toMatch(/echo \$answer;$/);
  expect(of("cli")).toBe(
    ["pagewright pdf-info", "document.pdf", "--queries title", "--url https://example.com"].join(" \\\n  "),
  );
});

describe("a command", () => {
  test("names inputs with their pages, and the service", () => {
    expect(write("cli", "/merged-pdf", merged)).toBe(
      [
        "pagewright merged-pdf",
        `'it'\\''s a.pdf:1-3'`,
        "https://example.org/b.pdf",
        "-o both.pdf",
        "--url https://example.com",
        '--api-key "$API_KEY"',
      ].join(" \\\n  "),
    );
  });

  test("has an option for each parameter, and names outputs, also several", () => {
    const values = { output: "page", color_model: "gray", resolution: "72" };
    const code = write("cli", "/png", { inputs: [{ kind: "file", value: "-.pdf" }], values });
    expect(code.replaceAll(" \\\n  ", " ")).toBe(
      "pagewright png ./-.pdf -o page.zip --color-model gray --resolution 72 --url https://example.com",
    );
  });

  test("has flags for switches, and repeats options of lists", () => {
    const input = { inputs: [{ kind: "file" as const, value: "a.docx" }] };
    const on = write("cli", "/pdf", { ...input, values: { output: "a", tagged_pdf: "on" } });
    expect(on).toMatch(/ --tagged-pdf \\$/m);
    expect(write("cli", "/pdf", { ...input, values: { output: "a", tagged_pdf: "off" } })).not.toContain("tagged");
    const split = write("cli", "/split-pdf", { ...input, values: { "pages[]": ["1-2", "even"] } });
    expect(split).toContain("--pages 1-2 \\\n  --pages even");
    expect(split).toContain(" -o output.zip ");
  });

  test("has selections as the command reads them, and no port that looks like one", () => {
    const inputs: CallSettings["inputs"] = [
      { kind: "file", value: "a.pdf", pages: " 1 - 3, LAST" },
      { kind: "file", value: "b.pdf", pages: " All " },
      { kind: "url", value: "https://example.org:8443", pages: "all" },
    ];
    const words = write("cli", "/merged-pdf", { inputs, values: { output: "both" } }).split(" \\\n  ");
    expect(words.slice(1, 4)).toEqual(["a.pdf:1-3,last", "b.pdf", "https://example.org:8443/"]);
  });

  test("reads texts from standard input, and settings from a file", () => {
    expect(write("cli", "/html", { values: { output: "page", content: "<p>Hi</p>" } })).toMatch(
      /^printf '%s' '<p>Hi<\/p>' \| pagewright html \\\n {2}- \\/,
    );
    const values = { output: "small", compression_level: "custom", profile: '{"a":1}' };
    const custom = write("cli", "/compressed-pdf", { values });
    expect(custom).toContain(`printf '%s' '{"a":1}' > profile.json\npagewright compressed-pdf`);
    expect(custom).toContain("--profile profile.json");
  });
});

test.each([
  ["curl", '--form-string "new_open_password=$NEW_OPEN_PASSWORD"'],
  ["javascript", 'form.append("new_open_password", process.env.NEW_OPEN_PASSWORD);'],
  ["python", '("new_open_password", os.environ["NEW_OPEN_PASSWORD"])'],
  ["php", "'new_open_password' => getenv('NEW_OPEN_PASSWORD')"],
  ["cli", 'PAGEWRIGHT_NEW_OPEN_PASSWORD="$NEW_OPEN_PASSWORD" \\\n  pagewright encrypted-pdf'],
])("%s leaves a password to a variable", (language, text) => {
  const code = write(language, "/encrypted-pdf", { values: { output: "a", new_open_password: "swordfish" } });
  expect(code).toContain(text);
  expect(code).not.toContain("swordfish");
  expect(code).not.toContain("--new-open-password");
  expect(code.includes("import os")).toBe(language === "python");
});

test("a value may hold what ends strings in each language", () => {
  const value = `"'\\$(x)\n`;
  const settings = { values: { output: "page", content: value } };
  expect(write("curl", "/html", settings)).toContain(`'content="'\\''\\$(x)\n'`);
  expect(write("javascript", "/html", settings)).toContain(JSON.stringify(value));
  expect(write("python", "/html", settings)).toContain(JSON.stringify(value));
  expect(write("php", "/html", settings)).toContain(`'"\\'\\\\$(x)\n'`);
});

test("the name of a field that repeats is numbered in PHP, whose keys are unique", () => {
  const code = write("php", "/merged-pdf", merged);
  expect(code).toContain("'type[0]' => 'file'");
  expect(code).toContain("'type[1]' => 'url'");
});
