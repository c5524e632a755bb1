// The small process that starts programs.
import { type SpawnSyncOptions, spawn } from "node:child_process";

/** A program to start. */
export interface Started {
  readonly id: number;
  readonly program: string;
  readonly args: readonly string[];
  readonly options: SpawnSyncOptions;
}

/** A program that ended. Streams are null if they are no pipes. */
export interface Finished {
  readonly id: number;
  readonly pid: number;
  readonly status: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: Uint8Array | null;
  readonly stderr: Uint8Array | null;
  /** Properties of the error with which the program did not start. */
  readonly error?: { readonly message: string };
}

process.on("message", ({ id, program, args, options }: Started) => {
  const { input, encoding: _, maxBuffer: __, ...rest } = options;
  const child = spawn(program, args, rest as object);
  const { pid = 0 } = child;
  const [stdout, stderr] = [child.stdout, child.stderr].map((stream) => {
    const chunks: Buffer[] = [];
    stream?.on("data", (chunk: Buffer) => chunks.push(chunk));
    return stream && chunks;
  });
  let error: Finished["error"];
  const finish = (status: number | null, signal: NodeJS.Signals | null) => {
    const read = (chunks: Buffer[] | null | undefined) => chunks && Buffer.concat(chunks);
    const streams = { stdout: read(stdout) ?? null, stderr: read(stderr) ?? null };
    process.send!({ id, pid, status, signal, ...streams, ...(error ? { error } : {}) } satisfies Finished);
  };
  child.on("error", (reason) => {
    error ??= { ...reason, message: reason.message };
    if (child.pid === undefined) finish(null, null);
  });
  child.on("close", (status, signal) => child.pid !== undefined && finish(status, signal));
  // The program may end without having read its input.
  child.stdin?.on("error", () => {});
  child.stdin?.end(input);
});
process.on("disconnect", () => process.exit());
