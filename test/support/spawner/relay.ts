// Passes programs to start on to the small process, and their results back, while the thread of the tests may be blocked.
import { fork } from "node:child_process";
import { fileURLToPath } from "node:url";
import { type MessagePort, workerData } from "node:worker_threads";
import type { Finished, Started } from "./spawner.ts";

const { port, signal } = workerData as { readonly port: MessagePort; readonly signal: Int32Array };
const spawner = fork(fileURLToPath(new URL("./spawner.ts", import.meta.url)), {
  ...{ serialization: "advanced", execArgv: ["--no-warnings"] },
});
port.on("message", (started: Started) => spawner.send(started));
spawner.on("message", (finished: Finished) => {
  port.postMessage(finished);
  Atomics.add(signal, 0, 1);
  Atomics.notify(signal, 0);
});
