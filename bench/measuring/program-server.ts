// A server that runs a program for each POST: it writes the body to in.pdf, and responds with out.pdf. Services that
// wrap programs, such as Gotenberg, do at least this much. Runs in a separate process, so that its CPU time is known:
// `node program-server.ts <program> <arguments>`.
import { execFile, fork } from "node:child_process";
import { once } from "node:events";
import { createWriteStream } from "node:fs";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { promisify } from "node:util";

export interface ProgramServer {
  readonly url: string;
  readonly pid: number;
  stop(): void;
}

export async function startProgramServer(command: readonly string[]): Promise<ProgramServer> {
  const child = fork(import.meta.filename, command, { execArgv: ["--no-warnings"] });
  const [port] = await once(child, "message");
  return { url: `http://127.0.0.1:${port}`, pid: child.pid!, stop: () => void child.kill() };
}

if (import.meta.main) {
  const [program, ...args] = process.argv.slice(2);
  const server = createServer(async (incoming, outgoing) => {
    const cwd = await mkdtemp(join(tmpdir(), "program-server-"));
    try {
      await pipeline(incoming, createWriteStream(join(cwd, "in.pdf")));
      await promisify(execFile)(program!, args, { cwd });
      outgoing.end(await readFile(join(cwd, "out.pdf")));
    } finally {
      await rm(cwd, { recursive: true });
    }
  });
  server.listen(0, "127.0.0.1", () => process.send!((server.address() as AddressInfo).port));
}
