// Starts the programs of native tests from a small process. Forking copies the page tables of the process that forks: with
// 600 MB, which a test file with PDFs soon has, each start of a program costs 20 ms of processor time instead of one.
import childProcess, { type ExecFileException, type SpawnSyncOptions } from "node:child_process";
import { syncBuiltinESMExports } from "node:module";
import { promisify } from "node:util";
import { MessageChannel, receiveMessageOnPort, Worker } from "node:worker_threads";
import type { Finished, Started } from "./spawner.ts";

/** Time after which a program counts as hanging. */
const LIMIT_MS = 240_000;

class Spawner {
  readonly #signal = new Int32Array(new SharedArrayBuffer(4));
  readonly #channel = new MessageChannel();
  readonly #waiting = new Map<number, (finished: Finished) => void>();
  #id = 0;

  constructor() {
    const { port1, port2 } = this.#channel;
    const workerData = { port: port2, signal: this.#signal };
    const worker = new Worker(new URL("./relay.ts", import.meta.url), { workerData, transferList: [port2] });
    worker.unref();
    port1.on("message", (finished: Finished) => this.#finish(finished));
    port1.unref();
  }

  /** Starts a program. @param done receives its result, in a later turn of the event loop */
  start(request: Omit<Started, "id">, done: (finished: Finished) => void): void {
    const { port1 } = this.#channel;
    const id = this.#id++;
    this.#waiting.set(id, done);
    port1.ref();
    port1.postMessage({ ...request, id } satisfies Started);
  }

  /** Runs a program, and blocks until it ends. */
  run(request: Omit<Started, "id">): Finished {
    let result: Finished | undefined;
    this.start(request, (finished) => {
      result = finished;
    });
    const end = Date.now() + LIMIT_MS;
    while (!result) {
      const seen = Atomics.load(this.#signal, 0);
      const received = receiveMessageOnPort(this.#channel.port1);
      if (received) this.#finish(received.message as Finished);
      else if (Atomics.wait(this.#signal, 0, seen, end - Date.now()) === "timed-out") {
        throw new Error(`${request.program} did not end within ${LIMIT_MS} ms.`);
      }
    }
    return result;
  }

  #finish(finished: Finished): void {
    const done = this.#waiting.get(finished.id)!;
    this.#waiting.delete(finished.id);
    if (this.#waiting.size === 0) this.#channel.port1.unref();
    done(finished);
  }
}

type Options = SpawnSyncOptions & { readonly encoding?: string | null };

const isEncoded = (encoding: Options["encoding"]): encoding is BufferEncoding => !!encoding && encoding !== "buffer";

/** Returns what Node's functions return for the result. */
function returned({ encoding }: Options, { pid, status, signal, stdout, stderr, error }: Finished) {
  const read = (bytes: Uint8Array | null) => {
    const buffer = bytes && Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
    return buffer && isEncoded(encoding) ? buffer.toString(encoding) : buffer;
  };
  const streams = { stdout: read(stdout), stderr: read(stderr) };
  return { pid, status, signal, output: [null, streams.stdout, streams.stderr], ...streams, ...(error ? { error: Object.assign(new Error(), error) } : {}) };
}

function errorOf(command: string, result: ReturnType<typeof returned>): Error {
  const said = result.stderr?.length ? `\n${result.stderr}` : "";
  return Object.assign(result.error ?? new Error(`Command failed: ${command}${said}`), result, { cmd: command });
}

function patch(spawner: Spawner): void {
  const parsed = (args: readonly string[] | Options = [], options: Options = {}): [string[], Options] =>
    Array.isArray(args) ? [[...args], options] : [[], args as Options];

  const spawnSync = (program: string, ...rest: [(readonly string[] | Options)?, Options?]) => {
    const [args, options] = parsed(...rest);
    return returned(options, spawner.run({ program, args, options }));
  };
  const execFileSync = (program: string, ...rest: [(readonly string[] | Options)?, Options?]) => {
    const [args, options] = parsed(...rest);
    const result = spawnSync(program, args, options);
    if (!options.stdio && result.stderr?.length) process.stderr.write(result.stderr);
    if (result.error || result.status !== 0) throw errorOf([program, ...args].join(" "), result);
    return result.stdout;
  };
  const execute = (program: string, ...rest: [(readonly string[] | Options)?, Options?]) => {
    const [args, given] = parsed(...rest);
    const options = { encoding: "utf8", ...given };
    return new Promise((resolve, reject: (error: ExecFileException) => void) => {
      spawner.start({ program, args, options }, (finished) => {
        const result = returned(options, finished);
        if (result.error || result.status !== 0) {
          const error = errorOf([program, ...args].join(" "), result);
          reject(Object.assign(error, { code: (error as ExecFileException).code ?? result.status }));
        } else resolve({ stdout: result.stdout, stderr: result.stderr });
      });
    });
  };
  const { execFile } = childProcess;
  const promised = Object.assign((...args: Parameters<typeof execFile>) => execFile(...args), {
    [promisify.custom]: execute,
  });
  Object.assign(childProcess, { spawnSync, execFileSync, execFile: promised });
  syncBuiltinESMExports();
}

/** Test files may share a process. */
const key = Symbol.for("pagewright.spawner");
if (!(key in globalThis)) {
  const spawner = new Spawner();
  Object.assign(globalThis, { [key]: spawner });
  patch(spawner);
}
