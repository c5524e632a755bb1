// Compares docs/api.md with the endpoints' declarations, checks that tests cite its sections, and follows the links of
// all pages.

import { existsSync, globSync, readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { describe, expect, test } from "vitest";
import { apiDescription } from "../../src/app/api-description.ts";
import { EngineFailure, FAILURE_REASONS } from "../../src/document/contract/failure.ts";
import { NOTICE_CODES } from "../../src/document/contract/notice.ts";
import { MAX_SELECTED_PAGES } from "../../src/document/contract/pages.ts";
import { endpoints, routes } from "../../src/endpoints/index.ts";
import * as errors from "../../src/service/http/contract/errors.ts";
import { openApi } from "../../src/service/http/openapi/document.ts";
import { noticeSentences } from "../../src/service/http/responses/notices.ts";
import { readConfig } from "../../src/service/settings/config.ts";
import { codeIn, linksOf, rowsOf, sectionsOf } from "../support/markdown.ts";

const root = resolve(import.meta.dirname, "../..");
const read = (path: string) => readFileSync(join(root, path), "utf8");
const sections = sectionsOf(read("docs/api.md"));

/** The parts of an OpenAPI document that these tests use. */
interface Described {
  readonly paths: Record<string, { post?: DescribedPost; get?: { responses: Responses }; delete?: unknown }>;
}
interface DescribedPost {
  readonly requestBody: {
    readonly content: {
      "multipart/form-data": { schema: { properties: Record<string, Property>; required: string[] } };
    };
  };
  readonly responses: Responses;
}
interface Property {
  readonly enum?: readonly string[];
  readonly default?: string | number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly items?: Property;
}
type Responses = Record<string, { content?: { "application/json"?: { examples?: Examples } } }>;
type Examples = Record<string, { readonly value: { readonly error: string } }>;

const config = readConfig({ VARIANT: "keyed", LLM_URL: "http://localhost/v1", LLM_MODEL: "small" } as Parameters<
  typeof readConfig
>[0]);
const { paths } = openApi(apiDescription, config, "https://example.com") as unknown as Described;

/** Returns the section of an endpoint, followed by the section to which it refers for its other parameters. */
function textOf(path: string): string {
  const own = sections.get(path.slice(1))?.text ?? "";
  const shared = /other parameters as for all \[[^\]]*\]\(#([\w-]+)\)/.exec(own)?.[1];
  return shared === undefined ? own : `${own}\n${sections.get(shared)?.text ?? ""}`;
}

/** Parameters that one section describes for all endpoints that have them. */
const ROWS_OF_ALL = ["password-protected-inputs", "delivery-to-an-address"].flatMap((section) =>
  rowsOf(sections.get(section)!.text, "Parameter"),
);

describe("tests cite the sections of docs/api.md", () => {
  const citations = globSync(["test/**/*.test.ts", "container/**/*.test.ts"], { cwd: root }).flatMap((file) =>
    [...read(file).matchAll(/^\/\/ Contract: docs\/api\.md(.*)$/gm)].flatMap(([, anchors = ""]) =>
      anchors.split(",").map((anchor) => ({ file, anchor: anchor.trim().replace(/^#/, "") })),
    ),
  );

  test("every cited section exists", () => {
    expect(citations.filter(({ anchor }) => !sections.has(anchor))).toEqual([]);
  });

  test("every section has a test", () => {
    const cited = new Set(citations.map(({ anchor }) => anchor));
    const details = [...sections].filter(([, { level }]) => level === 3).map(([anchor]) => anchor);
    expect(details.length).toBeGreaterThan(20);
    expect(details.filter((anchor) => !cited.has(anchor))).toEqual([]);
  });
});

describe("every endpoint", () => {
  test.each(endpoints.map((endpoint) => [endpoint.path, endpoint] as const))("%s", (path, { variants }) => {
    const text = textOf(path);
    expect(text).toContain(variants.includes("private") ? "Both variants." : "Keyed variant only.");
    const { properties, required } = paths[path]!.post!.requestBody.content["multipart/form-data"].schema;
    const rows = new Map(
      [...rowsOf(text, "Parameter"), ...ROWS_OF_ALL.filter(({ Parameter }) => codeIn(Parameter!)[0]! in properties)]
        .reverse()
        .map((row) => [codeIn(row.Parameter!)[0]!, row]),
    );
    expect([...rows.keys()].sort()).toEqual(Object.keys(properties).sort());
    for (const [name, property] of Object.entries(properties)) {
      const row = rows.get(name)!;
      const values = property.items ?? property;
      const { default: fallback, minimum, maximum } = property;
      expect(/^(yes|one for each)/.test(row.Required!), `${name} is required`).toBe(required.includes(name));
      expect(codeIn(row.Default!), `default of ${name}`).toEqual(fallback === undefined ? [] : [String(fallback)]);
      if (values.enum) expect(codeIn(row.Values!).sort(), `values of ${name}`).toEqual([...values.enum].sort());
      if (minimum !== undefined) expect(row.Values, `range of ${name}`).toContain(`${minimum} to ${maximum}`);
    }
  });

  test("no section describes an endpoint that is not there", () => {
    const titles = [...sections.values()].map(({ title }) => title).filter((title) => title.startsWith("/"));
    expect(titles.sort()).toEqual([...endpoints, ...routes].map(({ path }) => path).sort());
    const text = read("docs/api.md");
    const others = Object.keys(paths).filter((path) => !titles.includes(path));
    for (const path of others) expect(text).toContain(`${path}\``);
  });

  test("is in the list of contents, the image endpoints together", () => {
    const contents = read("docs/api.md").split("## First request")[0]!;
    const missing = endpoints.filter(({ path }) => !contents.includes(`[${path}](#${path.slice(1)})`));
    const images = ["/avif", "/bmp", "/gif", "/jpg", "/png", "/tif", "/webp"];
    expect(missing.map(({ path }) => path).sort()).toEqual(images);
    expect(contents).toContain("[images of pages](#image-endpoints)");
  });

  test("each operation is in the list of tools for agents", () => {
    const named = codeIn(sections.get("agents")!.text);
    expect(endpoints.map(({ verb }) => verb).filter((verb) => !named.includes(verb))).toEqual([]);
  });

  test("page selections have the limit of the code", () => {
    expect(sections.get("page-selections")!.text).toContain(`${MAX_SELECTED_PAGES.toLocaleString("en-US")} pages`);
  });
});

describe("every error sentence", () => {
  const rows = rowsOf(sections.get("errors")!.text, "Status").map((row) => {
    const sentence = codeIn(row.Sentence!)[0]!;
    const pattern = sentence.replace(/[.*+?^${}()|[\]\\]/g, "\\$&").replace(/<\w+>/g, ".+");
    return { status: Number(row.Status), sentence, pattern: new RegExp(`^${pattern}$`) };
  });
  const {
    ServiceError,
    toServiceError,
    nonconforming,
    notAcceptable,
    notInVariant,
    wrongType,
    tooComplex,
    replayedError: _,
    ...makers
  } = errors;
  const rule = { clause: "6.2.4.3", test: 2, pageNumbers: [1] };
  const made = [
    ...Object.values(makers).map((make) => (make as (...values: unknown[]) => errors.ServiceError)("name", "value")),
    makers.unsupportedFile(),
    wrongType(),
    tooComplex(),
    notAcceptable(["application/json", "application/pdf"]),
    notInVariant("/png", ["private", "keyed"]),
    nonconforming(),
    nonconforming({ standard: "PDF/A-2b", rules: [rule], changedPages: [] }),
    ...FAILURE_REASONS.map((reason) => toServiceError(new EngineFailure(reason, "detail"))),
    toServiceError(new Error("anything")),
  ];

  test("of the code is in the table, with its status", () => {
    const isListed = ({ status, message }: errors.ServiceError) =>
      rows.some((row) => row.status === status && row.pattern.test(message));
    expect(made.filter((error) => !isListed(error)).map(({ status, message }) => `${status} ${message}`)).toEqual([]);
  });

  test("of the code is in the table with the same placeholders, which make its anchor", () => {
    const sentences = new Set(rows.map(({ sentence }) => sentence));
    expect(made.map(({ template }) => template).filter((sentence) => !sentences.has(sentence))).toEqual([]);
  });

  test("of the table is in the code", () => {
    const isMade = (row: (typeof rows)[number]) =>
      made.some(({ status, message }) => row.status === status && row.pattern.test(message));
    expect(rows.filter((row) => !isMade(row)).map(({ sentence }) => sentence)).toEqual([]);
  });

  test.each(Object.keys(paths))("of the OpenAPI description of %s is in the table", (path) => {
    const { post, get } = paths[path]!;
    const responses = Object.entries({ ...get?.responses, ...post?.responses });
    for (const [status, { content }] of responses.filter(([status]) => Number(status) >= 400)) {
      for (const { value } of Object.values(content?.["application/json"]?.examples ?? {})) {
        const isListed = rows.some((row) => row.status === Number(status) && row.pattern.test(value.error));
        expect(isListed, `${status} ${value.error}`).toBe(true);
      }
    }
  });
});

test("every notice is in the table, in the order of the code", () => {
  const examples = rowsOf(sections.get("notices")!.text, "Notice").map(
    (row) => codeIn(row.Example!)[0]!.split(":")[0]!,
  );
  const sentences = NOTICE_CODES.flatMap((code, index) =>
    noticeSentences([{ code, count: Number(/\d+/.exec(examples[index] ?? "")?.[0] ?? 1) }]),
  );
  expect(examples).toEqual(sentences);
});

describe("links", () => {
  const pages = globSync(["*.md", "docs/*.md", "decisions/*.md", "{test,wasm}/README.md"], { cwd: root });

  test.each(pages)("of %s lead somewhere", (page) => {
    const broken = linksOf(read(page)).filter((link) => {
      const [path = "", anchor] = link.split("#");
      const target = path === "" ? page : join(dirname(page), path);
      if (!existsSync(join(root, target))) return true;
      return anchor !== undefined && !(target.endsWith(".md") && sectionsOf(read(target)).has(anchor));
    });
    expect(broken).toEqual([]);
  });
});

describe("decisions", () => {
  const decisions = globSync("decisions/*.md", { cwd: root });

  test.each(decisions)(
    "%s has a date and a status, fits one page, and names files that exist before a build",
    (page) => {
      const text = read(page);
      expect(text).toMatch(/^# \d+\. .+\n\nDate: \d{4}-\d\d-\d\d\. Status: (accepted|superseded)/);
      expect(text.split("\n").length).toBeLessThanOrEqual(66);
      const files = codeIn(text).filter((code) => /^(src|container|wasm|test)\/[\w./-]+$/.test(code));
      expect(files.filter((file) => file.includes("/dist/") || !existsSync(join(root, file)))).toEqual([]);
    },
  );
});
