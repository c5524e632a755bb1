// Tests asynchronous requests over HTTP.
// Contract: docs/api.md#asynchronous-jobs
import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { hashOfId } from "../../src/runtime/log-line.ts";
import { textPdf } from "../fixtures/pdfs.ts";
import { beginning } from "../support/beginning.ts";
import { eventually } from "../support/eventually.ts";
import { type Service, startService } from "../support/service.ts";
import { openStoredFiles } from "../support/stored-files.ts";

type Json = Readonly<Record<string, unknown>>;
type Fields = readonly (readonly [name: string, value: string | Blob])[];
const formOf = (fields: Fields): FormData => {
  const form = new FormData();
  for (const [name, value] of fields) form.append(name, value);
  return form;
};
const pdf = (bytes: Uint8Array, name = "a.pdf") => new File([Buffer.from(bytes)], name);
const ASYNC = { Prefer: "respond-async" };
const ID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

/** Returns fields for a quick request to an endpoint. */
async function fieldsFor(path: string): Promise<Fields> {
  const output = ["output", "made"] as const;
  if (path === "/html") return [["content", "<p>Grüße \u{1f600}</p>"], output];
  return [["file", pdf(await textPdf(2))], output];
}

describe.each(["private", "keyed"] as const)("in the %s variant", (variant) => {
  const { url, key } = inject("services")[variant];
  const own: Readonly<Record<string, string>> = key === undefined ? {} : { "Api-Key": key };

  const post = (path: string, fields: Fields, headers = {}) =>
    fetch(url + path, { method: "POST", body: formOf(fields), headers: { ...own, ...headers } });
  const statusOf = async (id: string) => (await fetch(`${url}/request-status/${id}`)).json() as Promise<Json>;
  const submit = async (path: string, fields: Fields, headers = {}) => {
    const response = await post(path, fields, { ...ASYNC, ...headers });
    const body = (await response.json()) as { requestId: string };
    expect([response.status, body]).toEqual([202, { requestId: expect.stringMatching(ID) }]);
    return body.requestId;
  };
  const resultOf = (id: string) =>
    eventually(async () => {
      const status = await statusOf(id);
      expect(status.status).not.toBe("pending");
      return status;
    });
  const exists = async (id: unknown) => (await fetch(`${url}/resource/${id}?format=info`)).status === 200;

  test("Prefer: respond-async is answered as RFC 7240 says", async () => {
    const response = await post("/zip", await fieldsFor("/zip"), { Prefer: "wait=0, Respond-Async; x=1" });
    const { requestId } = (await response.json()) as { requestId: string };
    expect(response.status).toBe(202);
    expect(Object.fromEntries(response.headers)).toMatchObject({
      location: `/request-status/${requestId}`,
      "retry-after": "1",
      "preference-applied": "respond-async",
    });
  });

  test("with wait, the response is that of the job, or 202 if it takes longer", async () => {
    const prefer = { ...own, Prefer: "respond-async, wait=60" };
    const made = await post("/zip", await fieldsFor("/zip"), prefer);
    const { outputId } = (await made.json()) as { outputId: string };
    expect([made.status, made.headers.get("preference-applied"), made.headers.get("location")]).toEqual([
      200,
      "wait",
      null,
    ]);
    expect(await exists(outputId)).toBe(true);
    const damaged = ["file", new File(["no PDF"], "a.pdf")] as const;
    const refused = await post("/png", [damaged, ["output", "page"]], prefer);
    expect([refused.status, await refused.json()]).toEqual([400, { error: expect.any(String) }]);
    const file = ["file", new File([Buffer.from(await textPdf(20))], "a.pdf")] as const;
    const long = await post("/png", [file, ["output", "page"], ["resolution", "1200"]], {
      ...own,
      Prefer: "respond-async, wait=1",
    });
    const { requestId } = (await long.json()) as { requestId: string };
    expect([
      long.status,
      (await fetch(`${url}/request-status/${requestId}`, { method: "DELETE", headers: own })).status,
    ]).toEqual([202, 204]);
  });

  test("Response-Type: requestId is answered with 200", async () => {
    for (const path of ["/html", "/upload"]) {
      const response = await post(path, await fieldsFor(path), { ...own, "Response-Type": "requestId" });
      const body = (await response.json()) as { requestId: string };
      expect([response.status, body]).toEqual([200, { requestId: expect.stringMatching(ID) }]);
      expect(await resultOf(body.requestId)).toMatchObject({ status: "completed" });
    }
  });

  test("/upload and /delete", async () => {
    const file = ["file", new File(["text"], "a.txt")] as const;
    const uploaded = await resultOf(await submit("/upload", [file]));
    const requestId = expect.stringMatching(ID);
    expect(uploaded).toEqual({ requestId, files: [{ name: "a.txt", id: expect.any(String) }], status: "completed" });
    const [{ id }] = uploaded.files as [{ id: string }];
    expect(await exists(id)).toBe(true);
    expect(await resultOf(await submit("/delete", [["ids", id]]))).toEqual({
      ...{ requestId, deleted: [id], deletionResponses: { [id]: "Successfully Deleted" }, status: "completed" },
    });
    expect(await exists(id)).toBe(false);
  });

  test("inputs by id stay, and a JSON body needs no output", async () => {
    const { inputId } = (await (await post("/png", await fieldsFor("/png"))).json()) as { inputId: string };
    const headers = { ...own, ...ASYNC, "Content-Type": "application/json" };
    const init = { method: "POST", headers, body: JSON.stringify({ id: inputId, pages: [1] }) };
    const { requestId } = (await (await fetch(`${url}/png`, init)).json()) as { requestId: string };
    const done = await resultOf(requestId);
    expect([done.status, done.inputId]).toEqual(["completed", inputId]);
    expect((await fetch(`${url}/request-status/${requestId}`, { method: "DELETE", headers: own })).status).toBe(204);
    await eventually(async () => expect(await exists(done.outputId)).toBe(false));
    expect(await exists(inputId)).toBe(true);
  });

  test("what can be checked at once is", async () => {
    const file = ["file", pdf(await textPdf(1))] as const;
    const output = ["output", "made"] as const;
    const url = ["url", "https://a.test/a.pdf"] as const;
    const html = ["file", new File(["<p>a"], "a.html")] as const;
    const custom = ["compression_level", "custom"] as const;
    const profile = (text: string) => ["profile", new File([text], "profile.json")] as const;
    const badImage = "5 is not within the acceptable range for images.";
    const badMargin = "9in is not within the acceptable range for page_margin.";
    const wrong: [string, Fields, number, string][] = [
      ["/png", [file, output, ["resolution", "x"]], 400, "x is not within the acceptable range for resolution."],
      ["/png", [file], 400, "The 'output' field is required."],
      ["/png", [output], 400, "This route needs a File or an ID."],
      ["/png", [["id", `1${randomUUID()}`], output], 404, "That file does not exist"],
      [
        "/png",
        [["url", "ftp://a.test/"], output],
        400,
        beginning("ftp://a.test/ is not within the acceptable range for url."),
      ],
      ["/delete", [], 400, "The 'ids' field is required."],
      [
        "/compressed-pdf",
        [file, output, custom, profile("{")],
        422,
        "The 'profile' file provided is not a JSON file, please see documentation for sample profile.",
      ],
      ["/compressed-pdf", [file, output, custom, profile('{"images":5}')], 400, badImage],
      ["/compressed-pdf", [url, output, custom, profile('{"images":5}')], 400, badImage],
      ["/compressed-pdf", [file, output, custom], 400, "The 'profile' field is required."],
      ["/pdf", [html, output, ["page_margin", "9in"]], 400, badMargin],
      ["/pdf", [url, output, ["page_margin", "9in"]], 400, badMargin],
      [
        "/pdf",
        [["file", new File(["\0"], "a.bin")], output],
        400,
        beginning("Uploaded file is not valid input for this route."),
      ],
      ["/upload", [["other", "x"]], 400, "The 'file' field is required."],
      [
        "/upload",
        [["url[]", "file:///etc/passwd"]],
        400,
        beginning("file:///etc/passwd is not within the acceptable range for url[]."),
      ],
    ];
    for (const [path, fields, status, error] of wrong) {
      const response = await post(path, fields, ASYNC);
      expect([response.status, await response.json()]).toEqual([status, { error }]);
    }
  });

  test("an error of the document is the job's", async () => {
    const fields: Fields = [
      ["file", new File(["%PDF-1.7\nbut nothing else"], "damaged.pdf")],
      ["output", "made"],
    ];
    const atOnce = await post("/png", fields);
    const { error } = (await atOnce.json()) as { error: string };
    const requestId = await submit("/png", fields);
    const failed = await resultOf(requestId);
    expect(failed).toEqual({ requestId, status: "failed", error, errorStatus: atOnce.status });
    expect(atOnce.status).toBeGreaterThanOrEqual(400);
  });

  test("a repetition with an Idempotency-Key gets the same id", async () => {
    const headers = { "Idempotency-Key": randomUUID() };
    const first = await submit("/html", await fieldsFor("/html"), headers);
    expect(await submit("/html", await fieldsFor("/html"), headers)).toBe(first);
  });

  test("a repetition of /delete and of an upload without a form, too", async () => {
    const upload = async () => {
      const headers = { ...own, ...ASYNC, "Idempotency-Key": key1, "Content-Filename": "a.txt" };
      return fetch(`${url}/upload`, { method: "POST", headers, body: "text" });
    };
    const [key1, key2] = [randomUUID(), randomUUID()];
    const first = (await (await upload()).json()) as { requestId: string };
    const repeated = await upload();
    expect([await repeated.json(), repeated.headers.get("Idempotent-Replayed")]).toEqual([first, "true"]);
    const waiting = { ...own, "Idempotency-Key": key1, "Content-Filename": "a.txt" };
    const atOnce = await fetch(`${url}/upload`, { method: "POST", headers: waiting, body: "text" });
    expect(atOnce.status).toBe(422);
    const { files } = (await resultOf(first.requestId)) as unknown as { files: [{ id: string }] };
    const headers = { "Idempotency-Key": key2 };
    const removed = await submit("/delete", [["ids", files[0].id]], headers);
    expect(await submit("/delete", [["ids", files[0].id]], headers)).toBe(removed);
    const other = await post("/delete", [["ids", "x"]], { ...headers, ...ASYNC });
    expect(other.status).toBe(422);
  });

  test("events tell each change until the end", async () => {
    const fields = [...(await fieldsFor("/png")), ["resolution", "300"]] as Fields;
    const id = await submit("/png", fields);
    const response = await fetch(`${url}/request-status/${id}`, {
      headers: { Accept: "text/event-stream, application/json;q=0.5" },
    });
    expect(response.headers.get("Content-Type")).toBe("text/event-stream");
    const events = (await response.text()).split("\n\n").filter((event) => event !== "" && !event.startsWith(":"));
    const statuses = events.map((event) => JSON.parse(/^event: status\ndata: (.*)$/.exec(event)![1]!) as Json);
    expect(statuses.at(-1)).toEqual(await statusOf(id));
    expect(statuses.at(-1)!.status).toBe("completed");
    for (const { status } of statuses.slice(0, -1)) expect(status).toBe("pending");
  });

  test("an unknown id gives 404, another method 405", async () => {
    const error = "requestID not found. That request does not exist.";
    for (const id of [randomUUID(), "x", "%00"]) {
      for (const method of ["GET", "DELETE"]) {
        const response = await fetch(`${url}/request-status/${id}`, { method, headers: own });
        expect([response.status, await response.json()]).toEqual([404, { error }]);
      }
    }
    const response = await fetch(`${url}/request-status/${randomUUID()}`, { method: "PUT" });
    expect([response.status, response.headers.get("Allow")]).toEqual([405, "GET, HEAD, DELETE"]);
  });
});

describe("storage", () => {
  let service: Service;
  beforeAll(async () => {
    service = await startService({ variant: "private" });
  });
  afterAll(() => service?.stop());

  test("holds nothing of jobs that failed or were canceled, whatever state they were in", async () => {
    const submit = async (path: string, fields: Fields) => {
      const response = await fetch(service.url + path, { method: "POST", body: formOf(fields), headers: ASYNC });
      return ((await response.json()) as { requestId: string }).requestId;
    };
    const slow: Fields = [
      ["file", pdf(await textPdf(300))],
      ["output", "made"],
      ["resolution", "150"],
    ];
    const statusOf = async (id: string) => (await fetch(`${service.url}/request-status/${id}`)).json() as Promise<Json>;
    const ids = await Promise.all(Array.from({ length: 6 }, () => submit("/png", slow)));
    const cancel = async (id: string) =>
      (await fetch(`${service.url}/request-status/${id}`, { method: "DELETE" })).status;
    // One job is running by now, and the others are queued.
    const phases = async () => (await Promise.all(ids.map(statusOf))).map(({ phase }) => phase);
    await eventually(async () => expect(await phases()).toContain("running"), { intervalMs: 5 });
    // A synchronous request comes before all jobs except the two that are already running.
    const quick: Fields = [["file", pdf(await textPdf(1))], slow[1]!];
    const pending = async () => {
      const statuses = await Promise.all(ids.map(async (id) => (await statusOf(id)).status));
      return statuses.filter((status) => status === "pending").length;
    };
    // The first jobs can have ended while the others were being accepted.
    const before = await pending();
    expect(before).toBeGreaterThan(2);
    expect((await fetch(`${service.url}/png`, { method: "POST", body: formOf(quick) })).status).toBe(200);
    expect(await pending()).toBeGreaterThanOrEqual(before - 2);
    for (const id of ids) expect(await cancel(id)).toBe(204);
    for (const id of ids) expect(await cancel(id)).toBe(404);
    await submit("/png", [["file", new File(["%PDF-1.7\nbut nothing else"], "damaged.pdf")], slow[1]!]);
    const html = await submit("/html", [["content", "text"], slow[1]!]);
    await eventually(async () => {
      expect(await statusOf(html)).toMatchObject({ status: "completed" });
    });
    await using storage = await openStoredFiles(service);
    // The input and output of /png, and the output of /html, which has no input.
    await eventually(async () => expect(await storage.count()).toBe(3));
    await eventually(async () => {
      const lines = readFileSync(service.logFile, "utf8")
        .split("\n")
        .filter((line) => line.startsWith("{"));
      expect(lines.filter((line) => line.includes(`"requestId":"${hashOfId(html)}"`)).length).toBeGreaterThan(0);
      expect(lines.filter((line) => [html, ...ids].some((id) => line.includes(id)))).toEqual([]);
    });
  });
});
