// Tests the common rules of all POST endpoints (spec, "Rules common to all POST endpoints"), and the ways in which
// clients encode requests.
// Contract: docs/api.md#requests, #json-bodies, #inputs, #output-names, #limits, #errors, #health
import { connect } from "node:net";
import { beforeAll, describe, expect, test } from "vitest";
import { encrypted, textPdf } from "../fixtures/pdfs.ts";
import { beginning } from "../support/beginning.ts";
import { type createClient, privateClient, upload } from "../support/client.ts";

let pdf: Uint8Array;
beforeAll(async () => {
  pdf = await textPdf(3, [144, 144]);
});
const client = privateClient;
const post = (fields: Parameters<ReturnType<typeof createClient>["post"]>[1]) =>
  client().post("/png", { output: "page", resolution: "36", ...fields });
const error = async (fields: Parameters<typeof post>[0]) => {
  const { status, body } = await post(fields);
  return [status, body.error];
};

describe("inputs", () => {
  test("spec: file and id together are rejected", async () => {
    const { body } = await post({ file: upload(pdf) });
    expect(await error({ file: upload(pdf), id: body.inputId! })).toEqual([
      400,
      "This route will only accept a File or an ID, not both.",
    ]);
  });

  test("neither file nor id: 400", async () => {
    expect(await error({})).toEqual([400, "This route needs a File or an ID."]);
    expect(await error({ id: "" })).toEqual([400, "This route needs a File or an ID."]);
    expect(await error({ document: upload(pdf) })).toEqual([400, "This route needs a File or an ID."]);
  });

  test("two files or two ids: 400", async () => {
    expect((await error({ file: [upload(pdf), upload(pdf)] }))[0]).toBe(400);
    const { body } = await post({ file: upload(pdf) });
    expect((await error({ id: [String(body.inputId), String(body.inputId)] }))[0]).toBe(400);
  });

  test("spec: inputs from a previous call are referred to by id", async () => {
    const first = await post({ file: upload(pdf) });
    const second = await post({ id: first.body.inputId! });
    expect(second.status).toBe(200);
    expect(second.body.inputId).toBe(first.body.inputId);
    expect(first.body.inputId).toMatch(/^1[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  });

  test("unknown id: 404", async () => {
    expect(await error({ id: "1d0c1f2a5-0000-4000-8000-000000000000" })).toEqual([404, "That file does not exist"]);
    expect(await error({ id: "../../etc/passwd" })).toEqual([404, "That file does not exist"]);
  });

  test("spec: 401 for a user password; an owner password alone opens", async () => {
    expect(await error({ file: upload(encrypted(pdf, "user", "owner")) })).toEqual([
      401,
      "The input file is password protected and cannot be processed.",
    ]);
    expect((await post({ file: upload(encrypted(pdf, "", "owner")) })).status).toBe(200);
  });

  test.each([
    ["empty", ""],
    ["text", "This is not a PDF."],
    ["a PDF header alone", "%PDF-1.7\n"],
  ])("not a PDF (%s): 400", async (_, content) => {
    expect(await error({ file: upload(content) })).toEqual([400, "The input file is damaged or is not a PDF."]);
  });

  test.each([
    ["a picture", "\x89PNG\r\n\x1a\n0000"],
    ["RTF", "{\\rtf1\\ansi Hello}"],
    ["a zip", "PK\x03\x04"],
  ])("another type of file (%s), as upload and by id: 400", async (_, content) => {
    const answer = [400, beginning("Uploaded file is not valid input for this route.")];
    const file = upload(Buffer.from(content, "latin1"));
    expect(await error({ file })).toEqual(answer);
    const { body } = await client().post("/zip", { file, output: "a" });
    expect(await error({ id: String([body.inputId].flat()[0]) })).toEqual(answer);
  });

  test("a file's name and media type do not matter", async () => {
    for (const name of ["no-extension", "wrong.docx", "C:\\fakepath\\über long 日本.pdf", `${"x".repeat(400)}.pdf`]) {
      const { status } = await post({ file: new File([Buffer.from(pdf)], name, { type: "text/html" }) });
      expect(status, name).toBe(200);
    }
  });
});

describe("fields", () => {
  test("spec: output is required and is the files' name", async () => {
    const { status, body } = await client().post("/png", { file: upload(pdf) });
    expect([status, body.error]).toEqual([400, "The 'output' field is required."]);
    expect(await error({ file: upload(pdf), output: "" })).toEqual([400, "The 'output' field is required."]);
  });

  test.each([
    ["../../etc/passwd", "passwd_1.png"],
    ["/absolute/path/report", "report_1.png"],
    ["C:\\folder\\report", "report_1.png"],
    ["with space", "\"with space_1.png\"; filename*=UTF-8''with%20space_1.png"],
    ["naïve", "\"na_ve_1.png\"; filename*=UTF-8''na%C3%AFve_1.png"],
    ['quote"d', "quoted_1.png"],
  ])("output %o becomes a safe name", async (output, expected) => {
    const [file] = await client().make("/png", { file: upload(pdf), output, pages: "1", resolution: "12" });
    expect(file!.name).toBe(expected);
  });

  test("a name of any length is cut", async () => {
    const [file] = await client().make("/png", {
      file: upload(pdf),
      output: "ä".repeat(5000),
      pages: "1",
      resolution: "12",
    });
    expect(new TextEncoder().encode(file!.name).length).toBeLessThan(1200);
  });

  test.each([".", "..", "/"])("output %o leaves no name: 400", async (output) => {
    expect(await error({ file: upload(pdf), output })).toEqual([
      400,
      `${output} is not within the acceptable range for output.`,
    ]);
  });

  test("more than one of a field that is no list: 400", async () => {
    expect(await error({ file: upload(pdf), resolution: ["72", "300"] })).toEqual([
      400,
      "Found more than one resolution key, only one is allowed.",
    ]);
  });

  test("the order of parts does not matter, unknown fields are ignored", async () => {
    const fields = { resolution: "36", output: "page", extra: "1", file: upload(pdf), another: upload("x", "x.txt") };
    expect((await client().post("/png", fields)).status).toBe(200);
  });

  test("names in brackets are the same names", async () => {
    const { body } = await post({ "file[]": upload(pdf) });
    expect((await post({ "id[]": body.inputId! })).status).toBe(200);
    expect((await post({ "id[0]": body.inputId! })).status).toBe(200);
  });

  test("a field of more than 64 KB: 413", async () => {
    expect(await error({ file: upload(pdf), pages: "1,".repeat(40_000) })).toEqual([
      413,
      "The 'pages' field is too large.",
    ]);
  });

  test("a value in an error's sentence is cut", async () => {
    const [status, sentence] = await error({ file: upload(pdf), resolution: "9".repeat(10_000) });
    expect(status).toBe(400);
    expect(String(sentence).length).toBeLessThan(300);
  });
});

describe("bodies", () => {
  const send = (body: string, headers: Record<string, string>, path = "/png") =>
    fetch(client().url + path, { method: "POST", body, headers });

  test("spec: a JSON body of the same fields; output may be left out", async () => {
    const { body } = await post({ file: upload(pdf, "report.pdf") });
    const response = await send(JSON.stringify({ id: body.inputId, pages: [1], resolution: 12 }), {
      "Content-Type": "application/json",
    });
    expect(response.status).toBe(200);
    const { outputUrl } = (await response.json()) as { outputUrl: string };
    expect((await fetch(outputUrl)).headers.get("Content-Disposition")).toBe("attachment; filename=report_png_1.png");
  });

  test.each([
    ["JSON that is none", "application/json", "{", 400],
    ["JSON that is no object", "application/json", "[1]", 400],
    ["a body of another kind", "text/plain", "output=a", 415],
    ["multipart without a boundary", "multipart/form-data", "--x\r\n", 400],
    [
      "multipart that ends in the middle",
      "multipart/form-data; boundary=x",
      '--x\r\nContent-Disposition: form-data; name="file"; filename="a.pdf"\r\n\r\n%PDF-1.4',
      400,
    ],
    ["multipart of garbage", "multipart/form-data; boundary=x", "garbage", 400],
    ["an empty multipart", "multipart/form-data; boundary=x", "--x--\r\n", 400],
  ])("%s: an error that is a JSON object with the single field error", async (_, type, body, status) => {
    const response = await send(body, { "Content-Type": type });
    expect(response.status).toBe(status);
    expect(response.headers.get("Content-Type")).toBe("application/json");
    const answer = (await response.json()) as { error: string };
    expect(Object.keys(answer)).toEqual(["error"]);
    expect(answer.error.length).toBeGreaterThan(10);
  });

  test("a JSON body has the same errors", async () => {
    const { body } = await post({ file: upload(pdf) });
    const json = async (fields: object, path = "/png") => {
      const response = await send(JSON.stringify(fields), { "Content-Type": "application/json" }, path);
      return [response.status, ((await response.json()) as { error: string }).error];
    };
    const both = "This route will only accept a File or an ID, not both.";
    expect(await json({ id: body.inputId, file: "a.pdf" })).toEqual([400, both]);
    expect(await json({ id: body.inputId, pages: [] })).toEqual([
      400,
      beginning(" is not within the acceptable range for pages."),
    ]);
    expect(await json({ id: body.inputId, output: "x".repeat(70_000) })).toEqual([
      413,
      "The 'output' field is too large.",
    ]);
    expect(await json({ id: body.inputId, resolution: 5000 })).toEqual([
      400,
      "5000 is not within the acceptable range for resolution.",
    ]);
    const twice = "Found more than one content key, only one is allowed.";
    expect(await json({ content: ["<p>", "<p>"], output: "a" }, "/html")).toEqual([400, twice]);
    expect(await json({ content: "x".repeat(20_000_000), output: "a" }, "/html")).toEqual([
      413,
      "The request body exceeds the maximum size of 8 MB.",
    ]);
  });

  test("10,000 fields: 400", async () => {
    const form = new FormData();
    for (let index = 0; index < 10_000; index++) form.append("pages", "1");
    const response = await fetch(`${client().url}/png`, { method: "POST", body: form });
    expect([response.status, await response.json()]).toEqual([400, { error: "The request has too many fields." }]);
  });

  test("a chunked body without Content-Length", async () => {
    const form = new FormData();
    form.append("file", upload(pdf));
    form.append("output", "chunked");
    form.append("resolution", "36");
    const { body, headers } = new Response(form);
    const response = await fetch(`${client().url}/png`, {
      method: "POST",
      body,
      headers,
      duplex: "half",
    } as RequestInit);
    expect(response.status).toBe(200);
  });

  test("Expect: 100-continue is answered without a delay", async () => {
    const boundary = "frontier";
    const body = `--${boundary}\r\nContent-Disposition: form-data; name="content"\r\n\r\n<p>\r\n--${boundary}\r\nContent-Disposition: form-data; name="output"\r\n\r\nx\r\n--${boundary}--\r\n`;
    const { hostname, port } = new URL(client().url);
    const received = await new Promise<string>((resolve, reject) => {
      let text = "";
      let sent = false;
      const socket = connect(Number(port), hostname, () =>
        socket.write(
          `POST /html HTTP/1.1\r\nHost: ${hostname}:${port}\r\nContent-Type: multipart/form-data; boundary=${boundary}\r\nContent-Length: ${body.length}\r\nExpect: 100-continue\r\nConnection: close\r\n\r\n`,
        ),
      );
      socket.setTimeout(20_000, () => reject(new Error(`nothing after ${JSON.stringify(text)}`)));
      socket.on("data", (data) => {
        text += data;
        if (!sent && text.startsWith("HTTP/1.1 100")) {
          sent = true;
          socket.write(body);
        }
      });
      socket.on("end", () => resolve(text));
      socket.on("error", reject);
    });
    expect(received).toContain("HTTP/1.1 200");
  });
});

describe("paths", () => {
  test("unknown path: 404, a JSON object with the single field error", async () => {
    for (const method of ["GET", "POST", "DELETE"]) {
      const response = await fetch(`${client().url}/unknown`, { method });
      expect(response.status).toBe(404);
      expect(Object.keys((await response.json()) as object)).toEqual(["error"]);
    }
  });

  test("GET of a POST endpoint: 405 with Allow", async () => {
    const response = await fetch(`${client().url}/png`);
    expect([response.status, response.headers.get("Allow")]).toEqual([405, "POST"]);
  });

  test("GET /up tells that the service works", async () => {
    expect(await (await fetch(`${client().url}/up`)).json()).toMatchObject({ status: "OK", variant: "private" });
  });
});
