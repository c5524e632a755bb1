// Tests connections on which a client sends many requests and reads no response.
import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import { afterEach, expect, test } from "vitest";
import { Connections, limitConnections } from "../../../host/connections.ts";

const STALL_MS = 300;
const LARGE = Buffer.alloc(2 ** 26);

interface Working {
  readonly path: string;
  readonly answer: ServerResponse;
}

const opened: Disposable[] = [];
afterEach(() => {
  for (const each of opened.splice(0)) each[Symbol.dispose]();
});

/** @param begin called with each request that starts */
async function serve(begin: (working: Working) => void) {
  const connections = new Connections(STALL_MS);
  const server = createServer(async ({ socket, url: path = "" }, answer) => {
    if (await connections.enter(socket, answer)) begin({ path, answer });
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  opened.push({
    [Symbol.dispose]() {
      server.closeAllConnections();
      server.close();
    },
  });
  const { port } = server.address() as AddressInfo;
  return async (text: string): Promise<Socket> => {
    const socket = connect(port, "127.0.0.1");
    socket.on("error", () => {});
    await once(socket, "connect");
    socket.write(text);
    return socket;
  };
}

const ask = (count: number, path = "/") =>
  Array.from({ length: count }, (_, index) => `GET ${path}${index} HTTP/1.1\r\nHost: localhost\r\n\r\n`).join("");
const bodyOf = (text: string) => text.split("\r\n\r\n").slice(1).join("");

test("requests of a connection are worked on one after the other, in their order", async () => {
  let [atWork, most] = [0, 0];
  const send = await serve(async ({ path, answer }) => {
    most = Math.max(most, ++atWork);
    await new Promise(setImmediate);
    atWork--;
    answer.end(`[${path}]`);
  });
  const socket = await send(ask(12));
  let text = "";
  for await (const chunk of socket) {
    text += chunk;
    if (text.includes("[/11]")) break;
  }
  expect(most).toBe(1);
  expect(bodyOf(text).match(/\[.*?\]/g)).toEqual(Array.from({ length: 12 }, (_, index) => `[/${index}]`));
});

test("a connection with too many requests that wait is closed, and none of them is worked on", async () => {
  const begun: string[] = [];
  const send = await serve(({ path }) => begun.push(path));
  const socket = await send(ask(500));
  socket.resume();
  await once(socket, "close");
  expect(begun).toEqual(["/0"]);
});

test("the requests that wait on a connection which its client closes are not worked on", async () => {
  const begun: Working[] = [];
  const first = Promise.withResolvers<void>();
  const send = await serve((working) => {
    begun.push(working);
    first.resolve();
  });
  const socket = await send(ask(9));
  await first.promise;
  socket.destroy();
  await once(begun[0]!.answer, "close");
  await new Promise(setImmediate);
  expect(begun).toHaveLength(1);
});

test.each([
  ["one answer", 1],
  ["several answers", 5],
])("the connection of a client that takes nothing of %s is closed", async (_, count) => {
  const begun: Working[] = [];
  const first = Promise.withResolvers<Working>();
  const send = await serve((working) => {
    begun.push(working);
    working.answer.end(LARGE);
    first.resolve(working);
  });
  const socket = await send(ask(count));
  socket.pause();
  const { answer } = await first.promise;
  await once(answer, "close");
  expect(answer.writableFinished).toBe(false);
  expect(begun).toHaveLength(1);
});

test("a client that waits for a long job, or takes its answer in parts, keeps its connection", async () => {
  const send = await serve(({ path, answer }) => {
    const later = () => answer.end(LARGE);
    if (path === "/job0") setTimeout(later, 3 * STALL_MS);
    else later();
  });
  for (const path of ["/job", "/large"]) {
    const socket = await send(ask(1, path));
    let bytes = 0;
    for await (const chunk of socket) {
      bytes += chunk.length;
      if (bytes >= LARGE.length) break;
    }
    expect(bytes).toBeGreaterThanOrEqual(LARGE.length);
  }
});

test("connections beyond the limit are closed at once, and the others are served", async () => {
  const server = createServer((_, answer) => answer.end("[served]"));
  limitConnections(server, 2);
  await once(server.listen(0, "127.0.0.1"), "listening");
  opened.push({ [Symbol.dispose]: () => server.close() });
  const { port } = server.address() as AddressInfo;
  const open = async () => {
    const socket = connect(port, "127.0.0.1");
    socket.on("error", () => {});
    await once(socket, "connect");
    return socket;
  };
  const [first, second] = [await open(), await open()];
  const third = await open();
  third.resume();
  await once(third, "close");
  for (const socket of [first, second]) {
    socket.write(ask(1));
    const [answer] = await once(socket, "data");
    expect(bodyOf(String(answer))).toContain("[served]");
    socket.destroy();
  }
});
