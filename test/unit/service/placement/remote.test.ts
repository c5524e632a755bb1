// Tests operations that run remotely: inputs, outputs and failures are transferred unchanged.
import { describe, expect, test } from "vitest";
import * as z from "zod";
import { EngineFailure, OutOfRange } from "../../../../src/document/contract/failure.ts";
import {
  type Context,
  declareOperation,
  type Input,
  type Run,
  stepOf,
} from "../../../../src/document/contract/operation.ts";
import {
  decodeRequest,
  encodeFailure,
  encodeResponse,
  joinResponse,
  runRemotely,
  splitResponse,
} from "../../../../src/service/placement/remote.ts";

type Chunks = AsyncIterable<Uint8Array>;

const remote = (name: string) => (inputs: readonly Input[], params: unknown, context: Context) =>
  runRemotely([stepOf(declareOperation({ name, params: z.unknown() }), params)], inputs, context);

const text = (value: string) => new TextEncoder().encode(value);

async function chunksOf(chunks: Chunks): Promise<Uint8Array[]> {
  const read: Uint8Array[] = [];
  for await (const chunk of chunks) read.push(chunk);
  return read;
}

async function collect(chunks: Iterable<Uint8Array> | Chunks): Promise<Uint8Array> {
  const parts: Uint8Array[] = [];
  for await (const chunk of chunks) parts.push(chunk.slice());
  return Buffer.concat(parts);
}

function input(name: string, bytes: Uint8Array, chunkBytes = 7): Input {
  return {
    name,
    size: bytes.length,
    bytes: async () => bytes,
    async *stream() {
      for (let at = 0; at < bytes.length; at += chunkBytes) yield bytes.subarray(at, at + chunkBytes);
    },
  };
}

/** Yields the same bytes in chunks of another size, as a network delivers them. */
async function* cut(chunks: Chunks, size: number): AsyncGenerator<Uint8Array> {
  for await (const chunk of chunks) for (let at = 0; at < chunk.length; at += size) yield chunk.slice(at, at + size);
}

/** Returns a context whose remote end is in this process and runs `operation`, regardless of the requested name. */
function context(operation: Run<unknown>, pieces = 2 ** 16, signal = new AbortController().signal): Context {
  const here: Context = {
    signal,
    heapLimitBytes: 0,
    defer: () => {},
    log: () => {},
    container: {
      async post(_name, body) {
        const { steps, inputs, bodies } = await decodeRequest(cut(body, pieces));
        const read: Input[] = [];
        for await (const bytes of bodies) read.push(input(inputs[read.length]!.name, await collect(bytes), 2 ** 16));
        return cut(encodeResponse(operation(read, steps[0]!.params, here)), pieces);
      },
    },
  };
  return here;
}

async function outputsOf(outputs: ReturnType<Run<unknown>>) {
  const made = [];
  for await (const { extension, type, body, headerPatch } of outputs) {
    const bytes = await collect(body instanceof Uint8Array ? [body] : body);
    made.push({ extension, type, text: new TextDecoder().decode(bytes), head: [...(headerPatch?.() ?? [])] });
  }
  return made;
}

describe("what an operation takes and gives arrives as it was", () => {
  const echo: Run<unknown> = async function* (inputs, params) {
    yield { extension: "json", type: "application/json", body: text(JSON.stringify(params)) };
    for (const { name, stream } of inputs) yield { extension: name, type: "text/plain", body: stream() };
  };

  test.each([1, 3, 6, 1000, 2 ** 16])("in pieces of %i bytes", async (pieces) => {
    const inputs = [input("a", text("first document")), input("ü", text("")), input("c", text("third"))];
    expect(await outputsOf(remote("echo")(inputs, { dpi: 300, pages: ["last"] }, context(echo, pieces)))).toEqual([
      { extension: "json", type: "application/json", text: '{"dpi":300,"pages":["last"]}', head: [] },
      { extension: "a", type: "text/plain", text: "first document", head: [] },
      { extension: "ü", type: "text/plain", text: "", head: [] },
      { extension: "c", type: "text/plain", text: "third", head: [] },
    ]);
  });

  test("inputs longer than a frame", async () => {
    const large = new Uint8Array(3 * 2 ** 20 + 5).map((_, index) => 97 + (index % 26));
    const [, made] = await outputsOf(remote("echo")([input("a", large, 2_500_000)], {}, context(echo)));
    expect(made!.text).toBe(new TextDecoder().decode(large));
  });

  test("a buffer that the operation uses again", async () => {
    const reuse: Run<unknown> = async function* () {
      const buffer = new Uint8Array(2);
      const body = function* () {
        for (const [a, b] of ["ab", "cd", "ef"]) {
          buffer.set(text(a! + b!));
          yield buffer;
        }
      };
      yield { extension: "txt", type: "text/plain", body: body() };
    };
    expect((await outputsOf(remote("reuse")([], {}, context(reuse))))[0]!.text).toBe("abcdef");
  });

  test("short chunks, which are sent together", async () => {
    const pieces = [100, 70_000, 1, 65_536, 65_535, 2, ...Array.from({ length: 2000 }, () => 100)];
    const bytes = new Uint8Array(pieces.reduce((sum, piece) => sum + piece)).map((_, index) => 97 + (index % 26));
    const many: Run<unknown> = async function* () {
      const body = function* () {
        let at = 0;
        for (const piece of pieces) {
          yield bytes.subarray(at, at + piece);
          at += piece;
        }
      };
      yield { extension: "txt", type: "text/plain", body: body() };
    };
    const sent = await chunksOf(encodeResponse(many([], {}, answering([]))));
    expect(sent.length).toBeLessThan(15);
    const [made] = await outputsOf(remote("many")([], {}, answering(sent)));
    expect(made!.text).toBe(new TextDecoder().decode(bytes));
  });

  test("the first bytes that are known last", async () => {
    const late: Run<unknown> = async function* () {
      let ended = false;
      const body = function* () {
        yield text("....");
        ended = true;
      };
      yield {
        extension: "tif",
        type: "image/tiff",
        body: body(),
        headerPatch: () => new Uint8Array(ended ? [1, 2, 255] : []),
      };
    };
    expect(await outputsOf(remote("late")([], {}, context(late)))).toMatchObject([{ text: "....", head: [1, 2, 255] }]);
  });

  test("an output that is left is skipped", async () => {
    const seen: string[] = [];
    const inputs = [input("a", text("left")), input("b", text("left in the middle")), input("c", text("read"))];
    for await (const { extension, body } of remote("echo")(inputs, {}, context(echo))) {
      if (extension === "b") for await (const _ of body as Chunks) break;
      if (extension === "c") seen.push(new TextDecoder().decode(await collect(body as Chunks)));
    }
    expect(seen).toEqual(["read"]);
  });
});

describe("failures cross as reasons", () => {
  const failing = (error: unknown, before = 0): Run<unknown> =>
    async function* () {
      for (let made = 0; made < before; made++) yield { extension: "txt", type: "text/plain", body: text("ok") };
      throw error;
    };

  test("an engine's failure, after what was made before it", async () => {
    const why = "b.pdf, number 2 of the 2 inputs, needs a password.";
    const locked = new EngineFailure("password-protected", "asked", { feature: "TIFF of ink", why });
    const outputs = remote("fails")([], {}, context(failing(locked, 1)));
    const [first] = [await outputs[Symbol.asyncIterator]().next()];
    expect(first!.value).toMatchObject({ extension: "txt" });
    await expect(outputsOf(outputs)).rejects.toMatchObject({
      ...{ name: "EngineFailure", reason: "password-protected", feature: "TIFF of ink", why },
    });
  });

  test("in the middle of an output", async () => {
    const breaks: Run<unknown> = async function* () {
      const body = function* () {
        yield text("half");
        throw new EngineFailure("too-large", "the heap");
      };
      yield { extension: "txt", type: "text/plain", body: body() };
    };
    await expect(outputsOf(remote("breaks")([], {}, context(breaks)))).rejects.toMatchObject({ reason: "too-large" });
  });

  test("a value out of range", async () => {
    const error = new OutOfRange("pages", "9-12", "The document has 8 pages.");
    const outputs = outputsOf(remote("fails")([], {}, context(failing(error))));
    await expect(outputs).rejects.toBeInstanceOf(OutOfRange);
    await expect(outputs).rejects.toMatchObject({
      parameter: "pages",
      value: "9-12",
      why: "The document has 8 pages.",
    });
  });

  test("anything else is a crash, and a reason of another version too", async () => {
    const failed = outputsOf(remote("fails")([], {}, context(failing(new TypeError("undefined"), 0))));
    await expect(failed).rejects.toMatchObject({ reason: "crashed" });
    const unknown = encodeFailure(new EngineFailure("on-fire" as "crashed", "smoke"));
    await expect(outputsOf(remote("fails")([], {}, answering([unknown])))).rejects.toMatchObject({ reason: "crashed" });
  });

  test("no container at all: busy", async () => {
    const { container: _, ...alone } = context(failing(new Error("never asked")));
    await expect(outputsOf(remote("fails")([], {}, alone))).rejects.toMatchObject({ reason: "busy" });
  });
});

/** Returns a context whose container responds with exactly these bytes. */
function answering(chunks: Iterable<Uint8Array> | Chunks, signal = new AbortController().signal): Context {
  const container = { post: async () => answered(chunks) };
  return { signal, heapLimitBytes: 0, defer: () => {}, log: () => {}, container };
}

async function* answered(chunks: Iterable<Uint8Array> | Chunks): AsyncGenerator<Uint8Array> {
  yield* chunks;
}

describe("an answer that breaks off was lost, one that makes no sense is a crash", () => {
  const whole = async () => {
    const made: Run<unknown> = async function* () {
      yield { extension: "txt", type: "text/plain", body: text("hello") };
    };
    return collect(encodeResponse(made([], {}, answering([]))));
  };

  test("cut off anywhere", async () => {
    const bytes = await whole();
    for (let length = 0; length < bytes.length; length++) {
      const outputs = outputsOf(remote("x")([], {}, answering([bytes.subarray(0, length)])));
      await expect(outputs, `${length} bytes`).rejects.toMatchObject({ reason: "lost" });
    }
    await expect(outputsOf(remote("x")([], {}, answering([bytes])))).resolves.toHaveLength(1);
  });

  test.each([
    ["HTML of a proxy", text("<html>502 Bad Gateway</html>")],
    ["a frame that says it is larger than any", new Uint8Array([1, 255, 255, 255, 255, 0])],
    ["JSON that is none", new Uint8Array([1, 0, 0, 0, 1, 123])],
    ["bytes without an output", new Uint8Array([2, 0, 0, 0, 1, 0])],
    ["null", new Uint8Array([1, 0, 0, 0, 4, ...text("null")])],
  ])("%s", async (_, bytes) => {
    await expect(outputsOf(remote("x")([], {}, answering([bytes])))).rejects.toMatchObject({ reason: "crashed" });
  });

  test("a connection that breaks", async () => {
    const breaking = async function* () {
      yield (await whole()).subarray(0, 10);
      throw new TypeError("socket hang up");
    };
    await expect(outputsOf(remote("x")([], {}, answering(breaking())))).rejects.toMatchObject({ reason: "lost" });
  });
});

describe("an answer that is divided into its outputs", () => {
  const outputs: Run<unknown> = async function* () {
    const long = function* () {
      for (let piece = 0; piece < 3; piece++) yield new Uint8Array(100_000).fill(97 + piece);
    };
    yield { extension: "a", type: "text/plain", body: text("short"), total: 3 };
    yield { extension: "b", type: "text/plain", body: long(), headerPatch: () => text("head"), total: 3 };
    yield { extension: "c", type: "text/plain", body: text(""), total: 3 };
  };
  const encoded = () => encodeResponse(outputs([], {}, answering([])));

  test("is the same when they are joined again", async () => {
    expect(await collect(joinResponse(splitResponse(encoded())))).toEqual(await collect(encoded()));
  });

  test("has the bytes of each output, and their number", async () => {
    const found: [number, number][] = [];
    for await (const { total, chunks } of splitResponse(encoded())) {
      found.push([total, (await collect(chunks)).filter((byte) => byte === 98).length]);
    }
    expect(found.map(([total]) => total)).toEqual([3, 3, 3]);
    expect(found[1]![1]).toBeGreaterThanOrEqual(100_000);
    expect(found[0]![1] + found[2]![1]).toBeLessThan(100);
  });

  test("ends with the failure of an output, wherever it happens", async () => {
    const fails = async function* (before: number) {
      const body = function* () {
        for (let piece = 0; piece < before; piece++) yield new Uint8Array(100_000);
        throw new EngineFailure("too-large", "the heap");
      };
      yield { extension: "txt", type: "text/plain", body: body() };
    };
    for (const before of [0, 1, 3]) {
      const frames = joinResponse(splitResponse(encodeResponse(fails(before))));
      const joined = await chunksOf(frames);
      await expect(outputsOf(remote("x")([], {}, answering(joined)))).rejects.toMatchObject({ reason: "too-large" });
    }
  });

  test("is lost if it breaks off", async () => {
    const all = await chunksOf(encoded());
    for (let length = 0; length < all.length; length++) {
      const read = async () => {
        for await (const { chunks } of splitResponse(answered(all.slice(0, length)))) await collect(chunks);
      };
      await expect(read(), `${length} chunks`).rejects.toMatchObject({ reason: "lost" });
    }
  });
});

describe("nothing is read ahead, and nothing goes on alone", () => {
  const endless: Run<unknown> = async function* () {
    for (;;) yield { extension: "bin", type: "application/octet-stream", body: new Uint8Array(10) };
  };

  test("the input is taken as the other end takes it", async () => {
    let given = 0;
    const source: Input = {
      ...input("a", new Uint8Array(1000)),
      async *stream() {
        for (; given < 1000; given += 10) yield new Uint8Array(10);
      },
    };
    const slow: Context = {
      ...answering([]),
      container: {
        async post(_, body) {
          const { bodies } = await decodeRequest(body);
          for await (const bytes of bodies) for await (const _ of bytes) break;
          throw new EngineFailure("busy", "enough");
        },
      },
    };
    await expect(outputsOf(remote("x")([source], {}, slow))).rejects.toMatchObject({ reason: "busy" });
    expect(given).toBeLessThanOrEqual(20);
  });

  test("whoever stops reading aborts the request", async () => {
    let asked: AbortSignal | undefined;
    const here = context(endless);
    const watched: Context = {
      ...here,
      container: {
        post: (name, body, signal) => {
          asked = signal;
          return here.container!.post(name, body, signal);
        },
      },
    };
    for await (const _ of remote("x")([], {}, watched)) break;
    expect(asked!.aborted).toBe(true);
  });

  test("the job's own signal reaches the request, and its reason is what is thrown", async () => {
    const gone = new AbortController();
    const reason = new Error("the client went away");
    const never: Context = {
      ...answering([], gone.signal),
      container: {
        post: async (_name, _body, signal) =>
          (async function* (): AsyncGenerator<Uint8Array> {
            await new Promise((_, reject) => signal.addEventListener("abort", () => reject(new TypeError("aborted"))));
          })(),
      },
    };
    const outputs = outputsOf(remote("x")([], {}, never));
    setTimeout(() => gone.abort(reason), 10);
    await expect(outputs).rejects.toBe(reason);
  });
});

describe("a request that makes no sense", () => {
  const decode = async (bytes: Uint8Array) => {
    const { bodies } = await decodeRequest(
      (async function* () {
        yield bytes;
      })(),
    );
    for await (const body of bodies) await collect(body);
  };
  const frame = (json: string) => new Uint8Array([1, 0, 0, 0, json.length, ...text(json)]);

  test.each([
    ["nothing", new Uint8Array(0)],
    ["no header", new Uint8Array([2, 0, 0, 0, 1, 0])],
    ["no inputs", frame('{"steps":[{}]}')],
    ["an empty list of steps", frame('{"steps":[],"inputs":[]}')],
    ["a size that is none", frame('{"steps":[{}],"inputs":[{"name":"a","size":-1}]}')],
    ["bytes that are missing", frame('{"steps":[{}],"inputs":[{"name":"a","size":5}]}')],
    ["two headers", new Uint8Array([...frame('{"steps":[{}],"inputs":[{"name":"a","size":5}]}'), ...frame("{}")])],
  ])("%s: crashed", async (_, bytes) => {
    await expect(decode(bytes)).rejects.toMatchObject({ reason: "crashed" });
  });
});
