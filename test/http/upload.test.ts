// Tests POST /upload and POST /delete: files for later requests, and their deletion.
// Contract: docs/api.md#upload, #delete, #requests
import { request } from "node:http";
import { beforeAll, describe, expect, inject, test } from "vitest";
import { textPdf } from "../fixtures/pdfs.ts";

let pdf: Buffer;
beforeAll(async () => {
  pdf = Buffer.from(await textPdf(1, [144, 144]));
});

interface Uploaded {
  readonly files: readonly { readonly name: string; readonly id: string }[];
  readonly deleted: readonly string[];
  readonly outputId: string;
  readonly error: string;
}

describe.each(["private", "keyed"] as const)("in the %s variant", (variant) => {
  const key = (): Record<string, string> => (variant === "keyed" ? { "Api-Key": inject("services").keyed.key } : {});
  const { url } = { url: () => inject("services")[variant].url };

  async function post(path: string, body: BodyInit, headers: Record<string, string> = {}) {
    const response = await fetch(url() + path, { method: "POST", body, headers: { ...headers, ...key() } });
    return { status: response.status, headers: response.headers, body: (await response.json()) as Uploaded };
  }
  const form = (...files: [string, string | Buffer][]) => {
    const body = new FormData();
    for (const [name, content] of files) body.append("file", new File([content as BlobPart], name));
    return body;
  };
  const download = async (id: string) => fetch(`${url()}/resource/${id}?format=file`);
  const json = (value: unknown) => [JSON.stringify(value), { "Content-Type": "application/json" }] as const;

  test("several files of a form, in their order", async () => {
    const { status, headers, body } = await post("/upload", form(["a.pdf", pdf], ["b.txt", "b"], ["a.pdf", "again"]));
    expect([status, Object.keys(body)]).toEqual([200, ["files"]]);
    expect(body.files.map(({ name }) => name)).toEqual(["a.pdf", "b.txt", "a.pdf"]);
    expect(headers.get("Server-Timing")).toContain("store;dur=");
    const texts = await Promise.all(body.files.map(async ({ id }) => (await download(id)).text()));
    expect(texts.slice(1)).toEqual(["b", "again"]);
    for (const { id } of body.files) expect(id).toMatch(/^1[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-/);
  });

  test("the ids are inputs: of JSON, and of a form without files", async () => {
    const { body } = await post("/upload", form(["a.pdf", pdf], ["b.pdf", pdf]));
    const [first, second] = body.files.map(({ id }) => id);
    const merged = await post("/merged-pdf", ...json({ id: [first, second], type: ["id", "id"], pages: ["all", 1] }));
    expect(merged.body.outputId).toMatch(/^2/);
    const fields = new URLSearchParams({ output: "a b&c" });
    for (const id of [first!, second!]) {
      fields.append("id[]", id);
      fields.append("type[]", "id");
      fields.append("pages[]", "1-last");
    }
    const { status, body: made } = await post("/merged-pdf", fields);
    expect(status).toBe(200);
    expect((await download(made.outputId)).headers.get("Content-Disposition")).toContain('filename="a b&c.pdf"');
  });

  test("a form without files needs its output, and has the errors of forms", async () => {
    const { body } = await post("/upload", form(["a.pdf", pdf]));
    const id = body.files[0]!.id;
    const error = async (fields: Record<string, string>) =>
      (await post("/png", new URLSearchParams(fields))).body.error;
    expect(await error({ id })).toBe("The 'output' field is required.");
    expect(await error({ id, output: "a", resolution: "9" })).toBe(
      "9 is not within the acceptable range for resolution.",
    );
    expect(await error({ output: "a" })).toBe("This route needs a File or an ID.");
    expect(await error({ id, output: "a", pages: "x".repeat(70_000) })).toBe("The 'pages' field is too large.");
    expect((await post("/html", new URLSearchParams({ content: "<p>ä", output: "a" }))).status).toBe(200);
  });

  test("a body with its name in a header, of a known length and chunked", async () => {
    const plain = await post("/upload", pdf as unknown as BodyInit, { "Content-Filename": "report.pdf" });
    expect(plain.body.files).toEqual([{ name: "report.pdf", id: expect.stringMatching(/^1/) }]);
    const stored = await download(plain.body.files[0]!.id);
    expect(stored.headers.get("Content-Type")).toBe("application/pdf");
    expect(Buffer.from(await stored.arrayBuffer()).equals(pdf)).toBe(true);
    const chunked = await new Promise<Uploaded>((resolve, reject) => {
      const headers = {
        ...key(),
        "Content-Filename": "b.pdf",
        "Content-Type": "application/pdf",
        "Transfer-Encoding": "chunked",
      };
      const sending = request(`${url()}/upload`, { method: "POST", headers }, (response) => {
        let text = "";
        response.on("data", (chunk) => (text += chunk));
        response.on("end", () => resolve(JSON.parse(text)));
      });
      sending.on("error", reject);
      sending.write(pdf.subarray(0, 100), () => sending.end(pdf.subarray(100)));
    });
    expect(chunked.files[0]!.name).toBe("b.pdf");
    expect(Buffer.from(await (await download(chunked.files[0]!.id)).arrayBuffer()).equals(pdf)).toBe(true);
  });

  test.each([
    ["gr%C3%BC%C3%9Fe.txt", "grüße.txt"],
    ["UTF-8''gr%C3%BC%C3%9Fe.txt", "grüße.txt"],
    ["=?utf-8?B?Z3LDvMOfZS50eHQ=?=", "grüße.txt"],
    ["C:\\files\\..\\100%.txt", "100%.txt"],
    ["/etc/passwd", "passwd"],
    ["", "file"],
  ])("the name %o is %o", async (given, expected) => {
    const { body } = await post("/upload", "content", { "Content-Filename": given, "Content-Type": "text/plain" });
    // A client can drop an empty header.
    if (given !== "" || body.files) expect(body.files[0]!.name).toBe(expected);
  });

  test("errors", async () => {
    expect(await post("/upload", new FormData())).toMatchObject({ status: 400 });
    expect((await post("/upload", form())).body.error).toMatch(/required|valid/);
    expect(await post("/upload", "x", { "Content-Type": "text/plain" })).toMatchObject({ status: 415 });
    const large = Buffer.alloc(101 * 2 ** 20) as unknown as BodyInit;
    expect(await post("/upload", large, { "Content-Filename": "a.bin" })).toMatchObject({
      status: 413,
      body: { error: "The file exceeds the maximum size of 100 MB." },
    });
    expect((await fetch(`${url()}/upload`)).status).toBe(405);
  });

  test.each(["multipart", "urlencoded", "JSON", "JSON, as a list"])("/delete, %s", async (encoding) => {
    const { body } = await post("/upload", form(["a.txt", "a"], ["b.txt", "b"], ["c.txt", "c"]));
    const [first, second, third] = body.files.map(({ id }) => id) as [string, string, string];
    const ids = `${first}, ${second},1d0c1f2a5-0000-4000-8000-000000000000`;
    const data = new FormData();
    data.append("ids", ids);
    const [sent, headers] = {
      multipart: [data, {}] as const,
      urlencoded: [new URLSearchParams({ ids }), {}] as const,
      JSON: json({ ids }),
      "JSON, as a list": json({ ids: [first, second] }),
    }[encoding]!;
    const deleted = await post("/delete", sent, headers);
    expect([deleted.status, deleted.body]).toMatchObject([200, { deleted: [first, second] }]);
    expect((await download(first)).status).toBe(404);
    expect((await download(second)).status).toBe(404);
    expect(await (await download(third)).text()).toBe("c");
  });

  test("/delete has a sentence for each id, whatever it is", async () => {
    const { body } = await post("/upload", form(["a.txt", "a"], ["b.txt", "b".repeat(600_000)]));
    const [first, second] = body.files.map(({ id }) => id) as [string, string];
    const unknown = "The provided resource ID does not exist, or its file has expired.";
    const others = { [`1${crypto.randomUUID()}`]: unknown, nonsense: unknown };
    const remove = async (...ids: string[]) => (await post("/delete", ...json({ ids }))).body;
    expect(await remove(first, ...Object.keys(others))).toEqual({
      deleted: [first],
      deletionResponses: { [first]: "Successfully Deleted", ...others },
    });
    const again = { [first]: "File has already been deleted" };
    expect(await remove(first)).toEqual({ deleted: [], deletionResponses: again });
    expect(await remove(second, first)).toEqual({
      deleted: [second],
      deletionResponses: { [second]: "Successfully Deleted", ...again },
    });
  });

  test("/delete of nothing: 400", async () => {
    expect(await post("/delete", ...json({}))).toMatchObject({
      status: 400,
      body: { error: "The 'ids' field is required." },
    });
  });
});

test("the keyed variant asks for the key", async () => {
  for (const path of ["/upload", "/delete"]) {
    const response = await fetch(`${inject("services").keyed.url}${path}`, { method: "POST", body: "x" });
    expect(response.status).toBe(401);
  }
});
