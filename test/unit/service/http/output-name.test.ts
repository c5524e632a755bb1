// Tests when the name of the output can be omitted, and the default name.
// Contract: docs/api.md#dialects, #output-names
import { expect, test } from "vitest";
import { endpoints } from "../../../../src/endpoints/index.ts";
import { defaultOutput, needsOutput } from "../../../../src/service/http/contract/output-name.ts";

const ofPath = (path: string) => endpoints.find((endpoint) => endpoint.path === path)!;

test("2022: every form needs it unless the endpoint says otherwise, and no JSON body does", () => {
  expect(needsOutput(ofPath("/png"), "multipart", "2022")).toBe(true);
  expect(needsOutput(ofPath("/split-pdf"), "multipart", "2022")).toBe(false);
  for (const endpoint of endpoints) {
    const { output } = endpoint;
    const isOptional = output.kind === "data" || output.isOptional === true;
    expect(needsOutput(endpoint, "multipart", "2022")).toBe(!isOptional);
    expect(needsOutput(endpoint, "urlencoded", "2022")).toBe(!isOptional);
    expect(needsOutput(endpoint, "json", "2022")).toBe(false);
  }
});

test("current: nothing needs it", () => {
  for (const endpoint of endpoints) expect(needsOutput(endpoint, "multipart", "current")).toBe(false);
});

test("an endpoint without an input names its output after itself", () => {
  expect(defaultOutput(ofPath("/blank-pdf"), "2022", undefined)).toBe("blank-pdf");
  expect(defaultOutput(ofPath("/blank-pdf"), "current", undefined)).toBe("pdfrest_blank-pdf");
});

test.each([
  ["/png", "report.pdf", "report_png", "report_pdfrest_png"],
  ["/pdf", "a.b.docx", "a.b_pdf", "a.b_pdfrest_pdf"],
  ["/compressed-pdf", "no extension", "no extension_compressed-pdf", "no extension_pdfrest_compressed-pdf"],
  ["/split-pdf", "report.pdf", "report", "report_pdfrest_split-pdf"],
  ["/merged-pdf", "report.pdf", "report_merged-pdf", "pdfrest_merged-pdf"],
  ["/zip", "report.pdf", "report_zip", "pdfrest_zip"],
  ["/html", "content", "content_html", "pdfrest_html"],
])("%s of %s: %s in 2022, %s today", (path, name, of2022, current) => {
  expect(defaultOutput(ofPath(path), "2022", { name })).toBe(of2022);
  expect(defaultOutput(ofPath(path), "current", { name })).toBe(current);
});
