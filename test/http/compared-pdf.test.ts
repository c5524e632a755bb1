// Tests POST /compared-pdf. The operation's own tests check what differs.
// Contract: docs/api.md#compared-pdf
import { expect, test } from "vitest";
import { plainPdf } from "../fixtures/pdf-builder.ts";
import { type FormFields, keyedClient, privateClient, upload } from "../support/client.ts";

const client = privateClient();
const ask = async (fields: FormFields, at = client) => {
  const { status, body } = await at.post("/compared-pdf", fields);
  return { status, body: body as Record<string, unknown> };
};
const versions = () => ({
  file: upload(plainPdf("Pay in 30 days", "Last"), "old.pdf"),
  compared_file: upload(plainPdf("Pay in 14 days", "Last"), "new.pdf"),
});

test.each([["private", client] as const, ["keyed", keyedClient()] as const])("the changes: %s", async (_, at) => {
  const { status, body } = await ask(versions(), at);
  expect([status, body]).toEqual([
    200,
    {
      pages: [
        expect.objectContaining({ original: 1, compared: 1 }),
        { original: 2, compared: 2, difference: 0, areas: [] },
      ],
      changes: [
        { removed: expect.objectContaining({ page: 1, text: "30" }), added: expect.objectContaining({ text: "14" }) },
      ],
      identical: false,
      inputId: [expect.any(String), expect.any(String)],
    },
  ]);
});

test.each([
  ["file", "differences.json", "application/json", '{"pages":['],
  ["pdf", "differences.pdf", "application/pdf", "%PDF-"],
])("a stored file: %s", async (output_type, name, type, beginning) => {
  const { body } = await ask({ ...versions(), output_type, output: "differences" });
  const response = await fetch(String(body.outputUrl));
  expect(response.headers.get("Content-Disposition")).toContain(name);
  expect(response.headers.get("Content-Type")).toBe(type);
  expect((await response.text()).startsWith(beginning)).toBe(true);
});

test.each([
  [{ resolution: "9" }, "resolution"],
  [{ output_type: "png" }, "output_type"],
  [{ compared_file: [] }, "compared_file"],
])("400 for %o", async (fields, name) => {
  const { status, body } = await ask({ ...versions(), ...fields });
  expect([status, body.error]).toEqual([400, expect.stringContaining(name)]);
});

test("the password opens both versions", async () => {
  const fields = { new_open_password: "opening", output: "protected" };
  const protect = async (text: string) => {
    const [made] = await client.make("/encrypted-pdf", { file: upload(plainPdf(text)), ...fields });
    return upload(made!.bytes, "protected.pdf");
  };
  const file = await protect("Pay in 30 days");
  const compared_file = await protect("Pay in 14 days");
  const { status, body } = await ask({ file, compared_file, current_open_password: "opening" });
  expect([status, body.changes]).toEqual([200, [expect.objectContaining({})]]);
  expect((await ask({ file, compared_file })).status).toBe(401);
});

test("an error names the document", async () => {
  const { status, body } = await ask({ ...versions(), compared_file: upload("%PDF-1.7 nothing", "new.pdf") });
  expect([status, body.error]).toEqual([
    400,
    expect.stringContaining("new.pdf, number 2 of the 2 inputs, is damaged."),
  ]);
});
