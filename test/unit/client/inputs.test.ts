// Tests the inputs that the client accepts.
import { expect, test } from "vitest";
import { eventsIn } from "../../../client/core/events.ts";
import { type Inputs, type LocalFile, resolveInputs } from "../../../client/core/inputs.ts";

const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes);
const opened: unknown[] = [];
const openPath = async (path: unknown): Promise<LocalFile> => {
  opened.push(path);
  throw new Error("not opened");
};
const local = async (input: Inputs): Promise<LocalFile> => {
  const [given] = await resolveInputs(input, openPath);
  if (given?.kind !== "local") throw new Error(`It is ${given?.kind}.`);
  return given.open();
};
const stream = (...chunks: string[]) =>
  new ReadableStream<Uint8Array>({
    start(controller) {
      for (const chunk of chunks) controller.enqueue(new TextEncoder().encode(chunk));
      controller.close();
    },
  });

test("addresses are left to the service", async () => {
  for (const input of ["https://example.com/a.pdf", "HTTP://example.com/a.pdf", new URL("http://example.com/")]) {
    expect(await resolveInputs(input, openPath)).toMatchObject([{ kind: "address", url: String(input) }]);
  }
});

test("any other string is a path, and so is a file: URL", async () => {
  for (const input of ["a.pdf", "https-report.pdf", new URL("file:///tmp/a.pdf")]) {
    await expect(local(input)).rejects.toThrow("not opened");
    expect(opened.at(-1)).toBe(input);
  }
});

test("earlier results give all of their files, awaited or not", async () => {
  const result = { files: [{ id: "a", sizeBytes: 3 }, { id: "b" }] };
  for (const input of [result, Promise.resolve(result)]) {
    expect(await resolveInputs(input, openPath)).toMatchObject([
      { kind: "stored", id: "a", sizeBytes: 3 },
      { id: "b" },
    ]);
  }
});

test.each([undefined, null, 5, {}, { id: 5 }])("%o is no input", async (input) => {
  await expect(resolveInputs(input as never, openPath)).rejects.toThrow("An input is a path");
});

test("a Blob keeps its name and size", async () => {
  const file = await local(new File(["abcdef"], "a.txt"));
  expect([file.name, file.sizeBytes, text(await file.read(2, 4))]).toEqual(["a.txt", 6, "cd"]);
});

test("a stream is cut into pieces of any size, and its last piece can be read again", async () => {
  const file = await local({ stream: stream("ab", "cdef", "", "g"), name: "a.bin", size: 7 });
  expect([file.name, file.sizeBytes]).toEqual(["a.bin", 7]);
  expect(text(await file.read(0, 3))).toBe("abc");
  expect(text(await file.read(0, 3))).toBe("abc");
  expect(text(await file.read(1, 4))).toBe("bc");
  expect(text(await file.read(3, 10))).toBe("defg");
  expect(text(await file.read(7, 10))).toBe("");
  await expect(file.read(0, 3)).rejects.toThrow("cannot be read again");
});

test("a stream that is not read to its end is canceled", async () => {
  let reason: unknown = "not canceled";
  const endless = new ReadableStream<Uint8Array>({
    pull: (controller) => controller.enqueue(new Uint8Array(10)),
    cancel: (given) => {
      reason = given;
    },
  });
  const file = await local(endless);
  await file.read(0, 5);
  await file.close();
  expect(reason).toBeUndefined();
});

test("events arrive however they are cut", async () => {
  const wire = 'event: status\r\ndata: {"a":1}\r\n\r\n: still here\n\nevent: status\ndata: {"a":\ndata: 2}\n\n';
  for (const size of [1, 2, 3, 7, 1000]) {
    const chunks = wire.match(new RegExp(`[^]{1,${size}}`, "g"))!;
    const events: string[] = [];
    for await (const event of eventsIn(stream(...chunks))) events.push(event);
    expect(events).toEqual(['{"a":1}', "", '{"a":\n2}']);
  }
});
