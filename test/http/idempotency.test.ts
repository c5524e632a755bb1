// Tests requests with an Idempotency-Key over HTTP: they run once, and retries get the same response.
// Contract: docs/api.md#idempotency
import { randomUUID } from "node:crypto";
import { setTimeout as wait } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { textPdf } from "../fixtures/pdfs.ts";
import { eventually } from "../support/eventually.ts";
import { type Service, startService } from "../support/service.ts";
import { openStoredFiles } from "../support/stored-files.ts";

type Fields = readonly (readonly [name: string, value: string | Blob])[];
type Headers = Readonly<Record<string, string>>;

/** A response, without the headers that differ between any two responses. */
interface Seen {
  readonly status: number;
  readonly replayed: string | null;
  readonly headers: Headers;
  readonly bytes: Buffer;
  readonly body: Readonly<Record<string, unknown>>;
}

const DIFFERING = ["x-request-id", "server-timing", "date", "keep-alive", "connection", "transfer-encoding"];

async function seen(response: Response): Promise<Seen> {
  const bytes = Buffer.from(await response.arrayBuffer());
  const headers = Object.fromEntries(response.headers);
  for (const name of [...DIFFERING, "idempotent-replayed"]) delete headers[name];
  const isJson = headers["content-type"]?.startsWith("application/json");
  return {
    status: response.status,
    replayed: response.headers.get("Idempotent-Replayed"),
    headers,
    bytes,
    body: isJson ? JSON.parse(bytes.toString()) : {},
  };
}

const formOf = (fields: Fields): FormData => {
  const form = new FormData();
  for (const [name, value] of fields) form.append(name, value);
  return form;
};
const pdf = (bytes: Uint8Array, name = "a.pdf") => new File([Buffer.from(bytes)], name);
const html = (content: string): Fields => [
  ["content", content],
  ["output", "made"],
];
const textFile = (text: string, name = "a.txt") => new File([text], name);

describe.each(["private", "keyed"] as const)("in the %s variant", (variant) => {
  const { url, key: apiKey } = inject("services")[variant];
  const own: Headers = apiKey === undefined ? {} : { "Api-Key": apiKey };

  async function send(path: string, body: BodyInit, headers: Headers = {}): Promise<Seen> {
    const init = { method: "POST", body, headers: { ...own, ...headers } };
    return seen(await fetch(url + path, init));
  }
  const sendForm = (path: string, key: string, fields: Fields, headers: Headers = {}) =>
    send(path, formOf(fields), { "Idempotency-Key": key, ...headers });
  const exists = async (id: unknown) => (await fetch(`${url}/resource/${id}?format=info`)).status === 200;

  test("the second request gets the answer of the first", async () => {
    const key = randomUUID();
    const fields: Fields = [
      ["file", pdf(await textPdf(2))],
      ["output", "made"],
      ["resolution", "20"],
    ];
    const first = await sendForm("/png", key, fields);
    expect([first.status, first.replayed]).toEqual([200, null]);
    const second = await sendForm("/png", key, fields);
    expect(second).toEqual({ ...first, replayed: "true" });
    for (const id of [first.body.outputId, first.body.inputId].flat()) expect(await exists(id)).toBe(true);
    expect((await sendForm("/png", randomUUID(), fields)).body.outputId).not.toEqual(first.body.outputId);
  });

  test("two at once get one answer, and it is made once", async () => {
    const bytes = await textPdf(20);
    for (const count of [2, 5]) {
      const key = randomUUID();
      const one = () =>
        sendForm("/png", key, [
          ["file", pdf(bytes)],
          ["output", "made"],
          ["resolution", "60"],
        ]);
      const answers = await Promise.all(Array.from({ length: count }, one));
      expect(answers.map(({ status }) => status)).toEqual(Array(count).fill(200));
      expect(answers.filter(({ replayed }) => replayed === null)).toHaveLength(1);
      for (const { body } of answers) expect(body).toEqual(answers[0]!.body);
    }
  });

  test("the boundary, the order of fields and the encoding of the body do not matter", async () => {
    const stored = await send("/upload", formOf([["file", pdf(await textPdf(1))]]));
    const [{ id }] = stored.body.files as [{ id: string }];
    const key = randomUUID();
    const first = await sendForm("/png", key, [
      ["id", id],
      ["output", "made"],
      ["pages", "1"],
      ["resolution", "20"],
    ]);
    expect(first.status).toBe(200);
    const others: [BodyInit, Headers][] = [
      [
        formOf([
          ["resolution", "20"],
          ["color_model", ""],
          ["pages[]", "1"],
          ["output", "made"],
          ["id", id],
        ]),
        {},
      ],
      [new URLSearchParams({ output: "made", resolution: "20", pages: "1", id }), {}],
    ];
    for (const [body, headers] of others) {
      const again = await send("/png", body, { "Idempotency-Key": key, ...headers });
      expect([again.replayed, again.body]).toEqual(["true", first.body]);
    }
  });

  test("another request with the key is refused", async () => {
    const key = randomUUID();
    const fields: Fields = [
      ["file", textFile("one")],
      ["output", "made"],
    ];
    expect((await sendForm("/zip", key, fields)).status).toBe(200);
    const others: [string, Fields, Headers?][] = [
      ["/zip", [["file", textFile("two")], fields[1]!]],
      ["/zip", [["file", textFile("one", "b.txt")], fields[1]!]],
      ["/zip", [fields[0]!, ["output", "other"]]],
      ["/zip", [fields[0]!, fields[0]!, fields[1]!]],
      ["/html", [["content", "one"], fields[1]!]],
      ["/zip", fields, { Accept: "application/zip" }],
      ["/upload", [fields[0]!]],
    ];
    for (const [path, other, headers] of others) {
      const { status, body, replayed } = await sendForm(path, key, other, headers);
      expect([status, body, replayed]).toEqual([
        422,
        { error: "This Idempotency-Key was used with another request." },
        null,
      ]);
    }
    // The rejected requests did not take the key from the first request.
    expect((await sendForm("/zip", key, fields)).replayed).toBe("true");
  });

  test("the order of inputs matters where it decides on the output", async () => {
    const a = textFile("a");
    const b = textFile("b");
    const key = randomUUID();
    const output = ["output", "made"] as const;
    expect((await sendForm("/zip", key, [["file", a], ["file", b], output])).status).toBe(200);
    expect((await sendForm("/zip", key, [["file", b], ["file", a], output])).status).toBe(422);
    expect((await sendForm("/zip", key, [output, ["file", a], ["file", b]])).replayed).toBe("true");
  });

  test("an answer that is a file is given again, byte by byte", async () => {
    for (const prefer of [{}, { Prefer: "return=representation; store" }]) {
      const key = randomUUID();
      const fields: Fields = [
        ["file", pdf(await textPdf(1))],
        ["output", "made"],
        ["resolution", "300"],
      ];
      const first = await sendForm("/bmp", key, fields, { Accept: "image/bmp", ...prefer });
      expect([first.status, first.headers["content-type"]]).toEqual([200, "image/bmp"]);
      expect("output-id" in first.headers).toBe("Prefer" in prefer);
      const second = await sendForm("/bmp", key, fields, { Accept: "image/bmp", ...prefer });
      expect(second.replayed).toBe("true");
      expect(second.bytes.equals(first.bytes)).toBe(true);
      expect(second.headers).toEqual(first.headers);
    }
  });

  test("a file that is gone is made again", async () => {
    const key = randomUUID();
    const fields: Fields = [
      ["file", textFile("text")],
      ["output", "made"],
    ];
    const headers = { Accept: "application/zip", Prefer: "return=representation; store" };
    const first = await sendForm("/zip", key, fields, headers);
    await fetch(`${url}/resource/${first.headers["output-id"]}`, { method: "DELETE", headers: own });
    const second = await sendForm("/zip", key, fields, headers);
    expect([second.status, second.replayed]).toEqual([200, null]);
    expect(await exists(second.headers["output-id"])).toBe(true);
  });

  test("errors of the request are replayed", async () => {
    const damaged: Fields = [
      ["file", pdf(Buffer.from("%PDF-1.4 nothing"))],
      ["output", "made"],
    ];
    const missing: Fields = [
      ["id", "1d0c1f2a5-7d3f-4c39-9d7e-6a0a7f1b0c55"],
      ["output", "made"],
    ];
    for (const fields of [damaged, missing]) {
      const key = randomUUID();
      const first = await sendForm("/png", key, fields);
      expect([400, 404]).toContain(first.status);
      expect(await sendForm("/png", key, fields)).toEqual({ ...first, replayed: "true" });
    }
  });

  test("/upload and /delete are repeatable, too", async () => {
    const key = randomUUID();
    const first = await sendForm("/upload", key, [["file", textFile("text")]]);
    const [{ id }] = first.body.files as [{ id: string }];
    expect(await sendForm("/upload", key, [["file", textFile("text")]])).toEqual({ ...first, replayed: "true" });
    expect((await sendForm("/upload", key, [["file", textFile("other")]])).status).toBe(422);
    const deleting = randomUUID();
    const deleted = await sendForm("/delete", deleting, [["ids", id]]);
    expect(deleted.body).toMatchObject({ deleted: [id] });
    expect(await sendForm("/delete", deleting, [["ids", id]])).toEqual({ ...deleted, replayed: "true" });
    const raw = { "Content-Filename": "raw.txt", "Content-Type": "text/plain", "Idempotency-Key": randomUUID() };
    const stored = await send("/upload", "raw text", raw);
    expect(await send("/upload", "raw text", raw)).toEqual({ ...stored, replayed: "true" });
    expect((await send("/upload", "raw tex!", raw)).status).toBe(422);
  });

  test.each(["", "with space", "a".repeat(256), "é", "a\tb"])("the key %j is refused", async (key) => {
    const encoded = Buffer.from(key, "utf8").toString("latin1");
    const { status, body } = await sendForm("/html", encoded, [
      ["content", "<p>"],
      ["output", "made"],
    ]);
    expect([status, body]).toEqual([400, { error: "The Idempotency-Key header is not valid." }]);
  });

  test("a key of 255 characters of all kinds is accepted", async () => {
    const visible = Array.from({ length: 94 }, (_, index) => String.fromCharCode(0x21 + index)).join("");
    const key = (randomUUID() + visible.repeat(3)).slice(0, 255);
    const fields: Fields = [
      ["content", "<p>"],
      ["output", "made"],
    ];
    const first = await sendForm("/html", key, fields);
    expect(await sendForm("/html", key, fields)).toEqual({ ...first, replayed: "true" });
  });
});

describe("a service of its own", () => {
  const apiKeys = [randomUUID(), randomUUID()];
  let service: Service;

  beforeAll(async () => {
    service = await startService({ variant: "keyed", apiKeys });
  });
  afterAll(() => service?.stop());

  const send = async (path: string, key: string, fields: Fields, apiKey = apiKeys[0]!, headers: Headers = {}) => {
    const all = { "Api-Key": apiKey, "Idempotency-Key": key, ...headers };
    return seen(await fetch(service.url + path, { method: "POST", body: formOf(fields), headers: all }));
  };

  test("has a key for each client", async () => {
    const key = randomUUID();
    const first = await send("/html", key, html("<p>one"));
    const other = await send("/html", key, html("<p>two"), apiKeys[1]);
    expect([other.status, other.replayed]).toEqual([200, null]);
    expect(await send("/html", key, html("<p>one"))).toEqual({ ...first, replayed: "true" });
    expect(await send("/html", key, html("<p>two"), apiKeys[1])).toEqual({ ...other, replayed: "true" });
  });

  test("keeps nothing of repetitions and of refused requests", async () => {
    await using stored = await openStoredFiles(service);
    const [key, fileKey] = [randomUUID(), randomUUID()];
    const bytes = Buffer.alloc(7 * 2 ** 20, "large");
    const fields = (text: string): Fields => [
      ["file", textFile(text)],
      ["file", pdf(bytes)],
      ["output", "made"],
    ];
    await send("/zip", key, fields("one"));
    await send("/zip", fileKey, fields("one"), apiKeys[0], { Accept: "application/zip" });
    // After its response, a request deletes files that it no longer needs; wait until the count is stable.
    const before = await eventually(async () => {
      const count = await stored.count();
      await wait(500);
      expect(await stored.count()).toBe(count);
      return count;
    });
    for (let count = 0; count < 3; count++) {
      expect((await send("/zip", key, fields("one"))).replayed).toBe("true");
      expect((await send("/zip", key, fields("two"))).status).toBe(422);
      expect((await send("/zip", fileKey, fields("one"), apiKeys[0], { Accept: "application/zip" })).replayed).toBe(
        "true",
      );
      const all = await Promise.all([1, 2, 3].map(() => send("/zip", key, fields("one"))));
      expect(all.map(({ replayed }) => replayed)).toEqual(["true", "true", "true"]);
    }
    await eventually(async () => expect(await stored.count()).toBe(before));
  });

  test("does not keep failures of its own", async () => {
    const key = randomUUID();
    const fields: Fields = [
      ["url", "https://example.com/"],
      ["output", "made"],
    ];
    for (let count = 0; count < 3; count++) {
      const { status, replayed } = await send("/png", key, fields);
      expect([status, replayed]).toEqual([503, null]);
    }
  });

  test("works for the next request when a client has left", async () => {
    const key = randomUUID();
    const fields: Fields = [
      ["file", pdf(await textPdf(60))],
      ["output", "made"],
      ["resolution", "150"],
    ];
    await using stored = await openStoredFiles(service);
    const before = await stored.count();
    const leaving = new AbortController();
    const left = fetch(`${service.url}/png`, {
      ...{ method: "POST", body: formOf(fields), signal: leaving.signal },
      headers: { "Api-Key": apiKeys[0]!, "Idempotency-Key": key },
    });
    left.catch(() => {});
    // After its file is stored, the request claims its key, so that no other request can use it.
    await eventually(async () => expect(await stored.count()).toBeGreaterThan(before), { intervalMs: 10 });
    expect((await send("/html", key, html("another"))).status).toBe(422);
    leaving.abort();
    await expect(left).rejects.toThrow();
    const { status, body } = await send("/png", key, fields);
    expect(status).toBe(200);
    for (const id of body.outputId as string[]) {
      expect((await fetch(`${service.url}/resource/${id}?format=info`)).status).toBe(200);
    }
  });
});
