// The client's test suite. Uses only standard web APIs, so that it runs in Node, in workerd and in a browser.

import type { CallOptions, Job, Options, PagewrightClient, Progress, Selected } from "../../client/index.ts";
import type { OperationList } from "../../src/service/http/contract/operation-list.ts";
import {
  type EXAMPLE_FORMATS,
  EXAMPLE_IMAGE,
  EXAMPLE_TEXT,
  exampleBeginning,
  exampleData,
  exampleFiles,
  exampleFormat,
  exampleValues,
  NEEDS_MODEL,
} from "./examples.ts";

export interface Surroundings {
  /** The class under test. */
  readonly Pagewright: new (
    options: Options,
  ) => PagewrightClient;
  /** URL of a service of the keyed variant. */
  readonly baseUrl: string;
  readonly apiKey: string;
  readonly samples: Samples;
  /** Operations by name. */
  readonly operations: Readonly<Record<string, unknown>>;
  /** URL of the sample `pdf`, which the service can fetch. */
  readonly pdfUrl: string;
}

/** Sample documents by format. The PDF has three pages. */
export type Samples = Readonly<Record<(typeof EXAMPLE_FORMATS)[number], Uint8Array<ArrayBuffer>>>;

const ALL = { range: "all", left: 9, top: 9, bottom: 9, right: 9 };

type Check = (around: Surroundings) => Promise<void>;

export const CHECKS: Readonly<Record<string, Check>> = {
  async "every operation answers the example of its declaration"(around) {
    const pw = connect(around);
    const { operations }: OperationList = await (await fetch(`${around.baseUrl}/operations.json`)).json();
    const known = Object.keys(around.operations).filter((verb) => !NEEDS_MODEL.includes(verb));
    same(operations.map(({ verb }) => verb).toSorted(), known.toSorted());
    const pdf = await pw.upload(new Blob([around.samples.pdf]));
    const calls = pw as unknown as Readonly<Record<string, (...given: readonly unknown[]) => Job>>;
    for (const operation of operations) {
      const { verb, input, output } = operation;
      const format = exampleFormat(operation);
      const file = format === "pdf" ? pdf : new Blob([around.samples[format]]);
      const inputs = { none: [], one: [file], several: [[file]], text: [EXAMPLE_TEXT] }[input.kind];
      const image = Uint8Array.from(atob(EXAMPLE_IMAGE.base64), (character) => character.charCodeAt(0));
      const given = { ...exampleValues(operation), ...exampleFiles<unknown>(operation, image, pdf) };
      const params = Object.entries(given).map(([name, value]) => [camelCase(name), value]);
      const { data, files } = await calls[verb]!(...inputs, Object.fromEntries(params));
      if (output.data) {
        const expected = exampleData(operation);
        same([verb, Object.fromEntries(Object.keys(expected).map((key) => [key, data?.[key]]))], [verb, expected]);
      } else {
        const beginning = exampleBeginning(operation);
        same([verb, start(await files[0]!.bytes(), beginning)], [verb, beginning]);
      }
    }
  },

  async "values are given as numbers, texts, lists and objects"(around) {
    const pw = connect(around);
    const pdf = await pw.upload(new Blob([around.samples.pdf]));
    const jobs: readonly (readonly [Job, string])[] = [
      [pw.bmp(pdf, { pages: 1, resolution: 12 }), "BM"],
      [pw.png(pdf, { pages: [1], resolution: 12, colorModel: "gray" }), "\x89PNG"],
      [pw.tif(pdf, { pages: "last", resolution: 12 }), "II"],
      [pw.blank({ pageSize: "custom", pageCount: 2, customWidth: 72.5, customHeight: 9 }), "%PDF"],
      [pw.compress(pdf, { compressionLevel: "custom", profile: {} }), "%PDF"],
      [pw.merge([pdf, { input: pdf, pages: "even" }]), "%PDF"],
      [pw.setPageBoxes(pdf, { boxes: { boxes: [{ box: "media", pages: [ALL] }] } }), "%PDF"],
      [pw.split(pdf, { pages: ["1-2"] }), "%PDF"],
      [pw.pdfa(pdf, { outputType: "PDF/A-2b", rasterizeIfErrorsEncountered: true }), "%PDF"],
    ];
    for (const [index, [job, magic]] of jobs.entries()) same([index, start(await job.bytes(), magic)], [index, magic]);
    same((await pw.info(pdf, { queries: "page_count" })).data, { page_count: 3, allQueriesProcessed: true });
  },

  async "every kind of input is one"(around) {
    const { samples, pdfUrl } = around;
    const pw = connect(around);
    const stored = await pw.upload(samples.pdf);
    const result = await pw.split(stored, { pages: ["1-3"] });
    const inputs = [
      new Blob([samples.pdf]),
      new File([samples.pdf], "grüße.pdf"),
      samples.pdf.slice().buffer,
      samples.pdf,
      streamOf(samples.pdf),
      chunksOf(samples.pdf),
      { stream: streamOf(samples.pdf), name: "a.pdf", size: samples.pdf.length },
      { stream: chunksOf(samples.pdf), name: "a.pdf" },
      pdfUrl,
      new URL(pdfUrl),
      stored,
      pw.stored(stored.id),
      result,
      pw.split(stored, { pages: ["1-3"] }),
    ];
    for (const [index, input] of inputs.entries()) {
      same([index, (await pw.gif(input, { resolution: 12 })).files.length], [index, 3]);
    }
  },

  async "names of files survive"(around) {
    const pw = connect(around);
    const names = ["grüße 1.pdf", "a%20b.pdf", "日本.pdf"];
    for (const name of names) same((await (await pw.upload(new File(["x"], name))).info()).name, name);
    const large = { stream: zeros(20), name: "grün.bin", size: 20 * MIB };
    same((await (await pw.upload(large)).info()).name, "grün.bin");
    same((await (await connect(around).html("x", { output: "ä" })).file.download()).name, "ä.html");
  },

  async "calls chain in one request, without a download"(around) {
    const requests: string[] = [];
    const pw = connect(around, (url, init) => {
      requests.push(`${init.method} ${new URL(url).pathname}`);
      return fetch(url, init);
    });
    const made = await pw
      .merge([around.samples.pdf, around.samples.pdf])
      .split({ pages: ["1-3", "4"] })
      .zip();
    same(made.files.length, 1);
    // Ignores requests for the status, whose number depends on how long the job takes.
    const others = requests.filter((request) => !request.startsWith("GET /request-status/"));
    same(others, ["POST /upload", "POST /upload", "POST /steps"]);
    same(start(await made.bytes(), "PK"), "PK");
  },

  async "inputs may be mixed, with pages for each"(around) {
    const pw = connect(around);
    const given: Selected[] = [
      { input: around.pdfUrl, pages: "last" },
      { input: pw.split(around.samples.pdf), pages: "1" },
    ];
    const images = await pw.merge(given).png({ resolution: 12 });
    same(images.files.length, 4);
  },

  async "files of any size go up by pieces"(around) {
    const pw = connect(around);
    const sizes = [0, 1, 8 * MIB, 8 * MIB + 1, 17 * MIB];
    for (const size of sizes) {
      const stored = await pw.upload(new Blob([new Uint8Array(size)]));
      same([stored.sizeBytes, (await stored.info()).size], [size, size]);
    }
    for (const given of [zeros(17), { stream: zeros(17), name: "a", size: 17 * MIB }]) {
      same((await (await pw.upload(given)).info()).size, 17 * MIB);
    }
  },

  async "an error tells status, sentence, parameter and request"(around) {
    const pw = connect(around);
    const range = await failure(pw.png(around.samples.pdf, { resolution: 9 }));
    same(
      [range.name, range.status, range.message, range.parameter, /^[\da-f-]{36}$/.test(String(range.requestId))],
      ["PagewrightError", 400, "9 is not within the acceptable range for resolution.", "resolution", true],
    );
    same((await failure(pw.png(new Blob(["no pdf"])))).status, 400);
    same((await failure(pw.png(pw.stored("1d0c1f2a5-7d3f-4c39-9d7e-6a0a7f1b0c55")))).status, 404);
    same((await failure(connect({ ...around, apiKey: "wrong" }).html("x"))).status, 401);
    // If a call fails, calls that use its result fail with the same error.
    same((await failure(pw.png(around.samples.pdf, { resolution: 9 }).zip())).parameter, "resolution");
    same((await failure(pw.pdf(pw.split(around.samples.pdf)))).message, "pdf() takes one file, but the result has 3.");
  },

  async "a call that fails leaves no upload behind"(around) {
    const ids: string[] = [];
    const pw = connect(around, async (url, init) => {
      const answer = await fetch(url, init);
      if (url.endsWith("/upload")) ids.push(...(await answer.clone().json()).files.map(({ id }: { id: string }) => id));
      return answer;
    });
    await failure(pw.png(new Blob(["no pdf"])));
    same([ids.length, (await failure(pw.stored(ids[0]!).info())).status], [1, 404]);
  },

  async "requests are repeated while the service is away or busy"(around) {
    let count = 0;
    const pw = connect(around, async (url, init) => {
      count++;
      if (count === 1) throw new TypeError("connection refused");
      if (count === 2) return Response.json({ error: "busy" }, { status: 503, headers: { "Retry-After": "0" } });
      if (count === 3) return Response.json({ error: "slow down" }, { status: 429, headers: { "Retry-After": "1" } });
      return fetch(url, init);
    });
    same(await pw.html("here").text(), "here");
    same(count, 5);
    const never = connect(around, async () => Response.json({ error: "busy" }, { status: 503 }), 1);
    same((await failure(never.html("x"))).message, "busy");
    const gone = await failure(connect(around, () => Promise.reject(new TypeError("refused")), 0).html("x"));
    same([gone.status, gone.message.endsWith("could not be reached.")], [0, true]);
  },

  async "an upload goes on where its connection broke"(around) {
    let patches = 0;
    const pw = connect(around, async (url, init) => {
      if (init.method === "PATCH" && ++patches === 2) throw new TypeError("connection reset");
      const answer = await fetch(url, init);
      // The service has received the bytes, but the response is lost.
      if (init.method === "PATCH" && patches === 3) throw new TypeError("connection reset");
      return answer;
    });
    const stored = await pw.upload({ stream: zeros(20), name: "a", size: 20 * MIB });
    same([(await stored.info()).size, patches], [20 * MIB, 4]);
  },

  async "a download goes on where its connection broke"(around) {
    const ranges: (string | null)[] = [];
    const pw = connect(around, async (url, init) => {
      const answer = await fetch(url, init);
      if (!url.endsWith("format=file")) return answer;
      ranges.push(new Headers(init.headers).get("Range"));
      return ranges.length > 2 ? answer : new Response(breaking(answer.body!, 100_000), answer);
    });
    const bytes = new Uint8Array(MIB).map((_, index) => index % 251);
    const stored = await pw.upload(bytes);
    const back = await stored.bytes();
    same([back.length, back.every((byte, index) => byte === bytes[index])], [bytes.length, true]);
    same([ranges.length, ranges[0], /^bytes=\d+-$/.test(String(ranges[1]))], [3, null, true]);
  },

  async "a canceled call rejects with the reason of its signal"(around) {
    const pw = connect(around);
    const reason = new Error("enough");
    const before = AbortSignal.abort(reason);
    same(await failure(pw.html("x", {}, { signal: before })), reason);
    const controller = new AbortController();
    const during: CallOptions = { signal: controller.signal, onProgress: () => controller.abort(reason) };
    same(await failure(pw.upload(new Blob([new Uint8Array(20 * MIB)]), during)), reason);
    const job = new AbortController();
    const leaving = connect(around, (url, init) => {
      if (url.endsWith("/png")) setTimeout(() => job.abort(reason));
      return fetch(url, init);
    });
    const running = leaving.png(around.samples.pdf, { resolution: 1200 }, { signal: job.signal });
    same(await failure(running), reason);
    const stored = await pw.upload(new Uint8Array(MIB));
    const download = new AbortController();
    same(await failure(stored.bytes({ signal: download.signal, onProgress: () => download.abort(reason) })), reason);
  },

  async "progress tells of uploads and downloads"(around) {
    const pw = connect(around);
    const told: Progress[] = [];
    const onProgress = (progress: Progress) => told.push(progress);
    const stored = await pw.upload({ stream: zeros(20), name: "a", size: 20 * MIB }, { onProgress });
    same(
      told.map((progress) => progress.phase === "uploading" && progress.sentBytes / MIB),
      [0, 8, 16, 20],
    );
    told.length = 0;
    await stored.blob({ onProgress });
    const last = told.at(-1);
    same([last?.phase, last?.phase === "downloading" && last.receivedBytes], ["downloading", 20 * MIB]);
  },

  async "a client tells when its address is wrong"(around) {
    same(
      messageOf(() => connect({ ...around, baseUrl: "localhost" })),
      'baseUrl must be an http or https URL, not "localhost".',
    );
    const elsewhere = connect(around, async () => new Response("<html>"));
    same((await failure(elsewhere.html("x"))).message, "The URL is not a Pagewright service.");
  },

  async "stored files can be removed"(around) {
    const pw = connect(around);
    const made = await pw.html("x");
    await made.delete();
    await made.delete();
    same((await failure(made.bytes())).status, 404);
  },
};

const MIB = 2 ** 20;

type Fetch = NonNullable<Options["fetch"]>;

function connect({ Pagewright, baseUrl, apiKey }: Surroundings, fetch?: Fetch, retries?: number): PagewrightClient {
  return new Pagewright({ baseUrl, apiKey, fetch, retries });
}

/** Compares two values by their JSON. */
function same(actual: unknown, expected: unknown): void {
  if (actual === expected) return;
  const [shown, wanted] = [JSON.stringify(actual), JSON.stringify(expected)];
  if (shown === undefined || shown !== wanted || actual instanceof Error) {
    throw new Error(`It is ${actual instanceof Error ? actual.stack : shown}, not ${wanted}.`);
  }
}

interface Failure extends Error {
  readonly status?: number;
  readonly parameter?: string;
  readonly requestId?: string;
}

async function failure(call: PromiseLike<unknown>): Promise<Failure> {
  let made: unknown;
  try {
    made = await call;
  } catch (error) {
    return error as Failure;
  }
  throw new Error(`It gave ${JSON.stringify(made)} instead of an error.`);
}

function messageOf(call: () => unknown): string {
  try {
    call();
  } catch (error) {
    return (error as Error).message;
  }
  throw new Error("It gave no error.");
}

const camelCase = (name: string) => name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());

const start = (bytes: Uint8Array, { length }: string) => String.fromCharCode(...bytes.subarray(0, length));

function streamOf(bytes: Uint8Array): ReadableStream<Uint8Array> {
  return new ReadableStream({
    start(controller) {
      controller.enqueue(bytes);
      controller.close();
    },
  });
}

async function* chunksOf(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  for (let from = 0; from < bytes.length; from += 1000) yield bytes.subarray(from, from + 1000);
}

/** Returns a stream of zeros. @param count size in MiB */
function zeros(count: number): ReadableStream<Uint8Array> {
  let left = count;
  return new ReadableStream({
    pull(controller) {
      if (left-- > 0) controller.enqueue(new Uint8Array(MIB));
      else controller.close();
    },
  });
}

/** Returns a stream that forwards some bytes and then fails. */
function breaking(body: ReadableStream<Uint8Array>, after: number): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  let left = after;
  return new ReadableStream({
    async pull(controller) {
      const { done, value } = left > 0 ? await reader.read() : { done: true };
      if (done || !value) {
        await reader.cancel();
        return controller.error(new TypeError("connection reset"));
      }
      controller.enqueue(value.subarray(0, left));
      left -= value.length;
    },
  });
}
