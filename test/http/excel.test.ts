// Tests POST /excel: the response, its notice, and errors. The operation's own tests check the workbook.
// Contract: docs/api.md#excel, #notices
import { expect, test } from "vitest";
import { plainPdf } from "../fixtures/pdf-builder.ts";
import { keyedClient, privateClient, upload } from "../support/client.ts";

const client = privateClient();
const file = () => upload(plainPdf("First", "Second"), "report.pdf");

test.each([["private", client] as const, ["keyed", keyedClient()] as const])("a workbook: %s", async (_, at) => {
  const { status, body } = await at.post("/excel", { file: file() });
  const { outputUrl, notices } = body as Record<string, string>;
  expect([status, notices]).toEqual([200, ["no tables were found, so that a sheet has the lines of text"]]);
  const response = await fetch(outputUrl!);
  expect(response.headers.get("Content-Disposition")).toContain("report_excel.xlsx");
  expect([...new Uint8Array(await response.arrayBuffer()).subarray(0, 4)]).toEqual([0x50, 0x4b, 3, 4]);
});

test.each([{ pages: "3" }, { pages: "0" }])("400 for %o", async (fields) => {
  const { status, body } = await client.post("/excel", { file: file(), ...fields });
  expect([status, (body as { error: string }).error]).toEqual([400, expect.stringContaining("pages")]);
});
