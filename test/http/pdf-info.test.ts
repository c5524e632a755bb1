// Tests POST /pdf-info (docs/api.md#pdf-info). The operation's own tests check the answers, except the one that needs
// the container.
// Contract: docs/api.md#pdf-info
import { describe, expect, test } from "vitest";
import { encrypted, textPdf } from "../fixtures/pdfs.ts";
import { beginning } from "../support/beginning.ts";
import { type FormFields, keyedClient, privateClient, upload } from "../support/client.ts";
import { corpusFile } from "../support/corpus.ts";

const client = privateClient();
const ask = async (fields: FormFields, at = client) => {
  const { status, body } = await at.post("/pdf-info", fields);
  return { status, body: body as Record<string, unknown> };
};

describe("200", () => {
  test.each([["private", client] as const, ["keyed", keyedClient()] as const])(
    "one member for each query: %s",
    async (_, at) => {
      const { status, body } = await ask(
        { file: upload(await textPdf(3), "a.pdf"), queries: "page_count, filename" },
        at,
      );
      expect([status, body]).toEqual([
        200,
        { page_count: 3, filename: "a.pdf", allQueriesProcessed: true, inputId: expect.any(String) },
      ]);
    },
  );

  test("JSON bodies may have a list", async () => {
    const { body } = await ask({ file: upload(await textPdf(2)), queries: "tagged" });
    const response = await fetch(`${client.url}/pdf-info`, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ id: body.inputId, queries: ["page_count", "tagged"] }),
    });
    expect(await response.json()).toMatchObject({ page_count: 2, tagged: false, inputId: body.inputId });
  });

  test("a document that needs a password is no error", async () => {
    const { status, body } = await ask({ file: upload(encrypted(await textPdf(1), "user", "owner")), queries: "all" });
    expect([status, body]).toMatchObject([200, { requires_password_to_open: true, allQueriesProcessed: false }]);
    expect(body.warning).toContain("title");
  });

  test.skipIf(!corpusFile)("veraPDF decides whether a claim of PDF/A is true", async () => {
    const conforms = async (pdf: Uint8Array) => (await ask({ file: upload(pdf), queries: "pdfa,title" })).body.pdfa;
    expect(await conforms(await textPdf(1))).toBe(false);
    const [pass, fail] = ["6-2-3-3-t01-pass-b", "6-2-10-t05-fail-h"].map((name) =>
      corpusFile(`pdf/veraPDF-test-suite-${name}.pdf`),
    );
    if (!pass || !fail) return;
    expect([await conforms(pass), await conforms(fail)]).toEqual([true, false]);
  });
});

describe("errors", () => {
  test("400 for a query that is not known, and without queries", async () => {
    const file = upload(await textPdf(1));
    expect(await ask({ file, queries: "title,pages" })).toMatchObject({
      status: 400,
      body: { error: beginning("title,pages is not within the acceptable range for queries. Choose from tagged,") },
    });
    expect((await ask({ file })).body.error).toBe("The 'queries' field is required.");
  });

  test("400 for what is no PDF", async () => {
    const { status } = await ask({ file: upload("<html>"), queries: "title" });
    expect(status).toBe(400);
  });
});
