// Keeps the processes of test files that share modules. Vitest ends a process if the next file in the queue belongs to
// another project, although later files would need the same modules, WebAssembly and optimized code again.

import { ForksPoolWorker, type PoolOptions, type PoolWorker, type TestProject, type WorkerRequest } from "vitest/node";

/** Maximum number of waiting processes of a project, which keep hundreds of megabytes each. */
const MOST_WAITING = 3;

type Listener = (...args: unknown[]) => void;

/** Processes that wait for their next test file. */
const waiting = new Map<TestProject, ForksPoolWorker[]>();

class KeptWorker implements PoolWorker {
  readonly name = "kept";
  readonly cacheFs = true;
  readonly #waiting: ForksPoolWorker[];
  readonly #process: ForksPoolWorker;
  readonly #hasStarted: boolean;
  readonly #listeners: (readonly [event: string, listener: Listener])[] = [];
  /** False if Vitest gives up this process, for example because it does not start. */
  #canContinue = false;

  constructor(options: PoolOptions) {
    this.#waiting = waitingOf(options.project);
    const kept = this.#waiting.pop();
    this.#hasStarted = kept !== undefined;
    this.#process = kept ?? new ForksPoolWorker(options);
  }

  async start(): Promise<void> {
    if (!this.#hasStarted) await this.#process.start();
  }

  on(event: string, listener: Listener): void {
    this.#listeners.push([event, listener]);
    this.#process.on(event, listener);
  }

  off(event: string, listener: Listener): void {
    this.#process.off(event, listener);
  }

  /** Answers the requests to start and to stop in place of the process, which then serves the next file. */
  send(message: WorkerRequest): void {
    if (message.type === "start" && this.#hasStarted) this.#answer("started");
    else if (message.type === "stop") {
      this.#canContinue = true;
      this.#answer("stopped");
    } else this.#process.send(message);
  }

  deserialize(data: unknown): unknown {
    return data;
  }

  async stop(): Promise<void> {
    for (const [event, listener] of this.#listeners) this.#process.off(event, listener);
    if (this.#canContinue && this.#waiting.length < MOST_WAITING) this.#waiting.push(this.#process);
    else await this.#process.stop();
  }

  #answer(type: "started" | "stopped"): void {
    const answer = { type, __vitest_worker_response__: true };
    for (const [event, listener] of this.#listeners) {
      if (event === "message") setImmediate(listener, answer);
    }
  }
}

function waitingOf(project: TestProject): ForksPoolWorker[] {
  const known = waiting.get(project);
  if (known) return known;
  const processes: ForksPoolWorker[] = [];
  waiting.set(project, processes);
  project.vitest.onClose(async () => {
    await Promise.all(processes.map((process) => process.stop()));
  });
  return processes;
}

/** A pool for `pool` of vitest.config.ts, for projects with `isolate: false`. */
export const keptWorkers = { name: "kept", createPoolWorker: (options: PoolOptions) => new KeptWorker(options) };
