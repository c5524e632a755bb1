// Places where a hostile document leaves a trace: a server, files of the machine, and a file that only a program makes.

import { existsSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { createServer, type Server } from "node:net";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect } from "vitest";
import type { LibreOffice } from "../../container/engines/libreoffice/libreoffice.ts";
import { type Converted, convert, documents, save } from "./libreoffice.ts";

/** Text of the files that no document can read. */
const secret = "CANARY-7f3a";
/** Size of the picture that no document can read. LibreOffice draws its own, larger icons for missing content. */
export const canarySize = "4 x 4";
/** An HTML document with the secret. Set when the hooks of {@link openCanaries} have run. */
export let canaryPage: string;

let port: number;
let connections = 0;

/** Registers the hooks. Call it once at the top of a test file, after openOffices. */
export function openCanaries(): void {
  let server: Server;
  beforeAll(async () => {
    server = createServer((socket) => {
      connections++;
      socket.on("error", () => {});
      socket.end("HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n");
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    port = (server.address() as { port: number }).port;
    canaryPage = await save(`<html><body><p>${secret}</p></body></html>`, "html");
    await writeFile(join(documents, "canary.txt"), secret);
    await writeFile(join(documents, "canary.csv"), `id,${secret}\n1,${secret}\n`);
    await writeFile(join(documents, "canary.ini"), `[Bootstrap]\nSECRET=${secret}\n`);
    await writeFile(join(documents, "run.py"), `def main(*_):\n  open("${ran()}", "w")\n`);
    const png = "iVBORw0KGgoAAAANSUhEUgAAAAQAAAAECAIAAAAmkwkpAAAAEElEQVR42mP4z8AARwzEcQCukw/xwOlHOAAAAABJRU5ErkJggg==";
    await writeFile(join(documents, "canary.png"), Buffer.from(png, "base64"));
  });
  afterAll(() => server.close());
}

export const web = (name: string): string => `http://127.0.0.1:${port}/${name}`;
/** The server, without a protocol. */
export const host = (): string => `127.0.0.1:${port}`;
export const local = (name: string): string => `file://${documents}/${name}`;
/** Path of the file that only a program makes. */
export const ran = (): string => join(documents, "ran");
export const connectionsSoFar = (): number => connections;

/** Converts a document that tries to read or run something, and checks that it left no trace. */
export async function convertWithoutTrace(office: LibreOffice, path: string): Promise<Converted | Error> {
  const before = connections;
  const converted = await convert(office, path).catch((failure: Error) => failure);
  // A connection that was made has been accepted by now, or will be soon.
  await sleep(100);
  expect(connections).toBe(before);
  expect(existsSync(ran())).toBe(false);
  if (converted instanceof Error) return converted;
  expect(converted.text).not.toContain(secret);
  expect(converted.bytes.includes(secret)).toBe(false);
  expect(converted.pictures).not.toContain(canarySize);
  return converted;
}
