// `npm run bench:protection`: compares the CPU time of `/encrypted-pdf` and `/decrypted-pdf` with qpdf, pdfcpu and
// mutool, as new processes, and with qpdf's WebAssembly. The operations run warm in this process, as in a long-lived
// isolate or thread. Programs that are not installed are left out. Then compares the requests per second of the service
// with those of a server that runs the program for each request, as Gotenberg does.

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { QPDF_PATHS, runQpdf } from "../src/document/engines/qpdf/qpdf.ts";
import { decryptPdf } from "../src/operations/protection/decrypt-pdf.ts";
import { encryptPdf } from "../src/operations/protection/encrypt-pdf.ts";
import { textPdf } from "../test/fixtures/pdfs.ts";
import { HOST_VARS, type Service, startService } from "../test/support/service.ts";
import { book } from "./documents.ts";
import { agent, exchange, multipart, row } from "./measuring/measure.ts";
import { ran } from "./measuring/operation-time.ts";
import { processorMs } from "./measuring/processor-time.ts";
import { type ProgramServer, startProgramServer } from "./measuring/program-server.ts";
import { isInstalled, programTime } from "./measuring/programs.ts";

const ROUNDS = process.argv.includes("--quick") ? 5 : 25;
const HEAP_LIMIT_BYTES = 512 * 2 ** 20;
const OPEN = "opens it";

/** Command lines that encrypt in.pdf. */
const PEERS: Readonly<Record<string, readonly string[]>> = {
  qpdf: ["qpdf", "--encrypt", OPEN, OPEN, "256", "--", "in.pdf", "out.pdf"],
  pdfcpu: ["pdfcpu", "encrypt", "--upw", OPEN, "--opw", OPEN, "in.pdf", "out.pdf"],
  mutool: ["mutool", "clean", "-E", "aes-256", "-U", OPEN, "-O", OPEN, "in.pdf", "out.pdf"],
};

/** Number of concurrent clients, and of requests per client and round. */
const CLIENTS = 4;
const REQUESTS = 5;

const folder = mkdtempSync(join(tmpdir(), "bench-protection-"));
try {
  console.log(`Milliseconds of processor time, mean of ${ROUNDS} rounds; ratios are theirs / ours.`);
  const names = Object.keys(PEERS).filter(isInstalled);
  const all = [...names, "qpdf.wasm"];
  console.log(row(["", "encrypt", "decrypt", ...all, ...all.map((name) => `${name}/ours`)]));
  for (const [name, bytes] of [
    ["1 page", await textPdf(1)],
    ["100 pages", await textPdf(100)],
    ["10 MB", book(200, 10e6)],
  ] as const) {
    writeFileSync(join(folder, "in.pdf"), bytes);
    const times = [0, 0, ...all.map(() => 0)];
    for (let round = 0; round < ROUNDS; round++) {
      const [encrypting, encrypted] = await ran(encryptPdf, bytes, { newOpenPassword: OPEN });
      const [decrypting] = await ran(decryptPdf, encrypted, { currentOpenPassword: OPEN });
      const theirs = [...names.map((name) => ranProgram(PEERS[name]!)), ranWasm(bytes)];
      for (const [index, time] of [encrypting, decrypting, ...theirs].entries()) times[index]! += time / ROUNDS;
    }
    const ratios = times.slice(2).map((time) => (time / times[0]!).toFixed(2));
    console.log(row([name, ...times.map((time) => time.toFixed(1)), ...ratios]));
  }
  await compareOverHttp(names, await textPdf(1));
} finally {
  agent.destroy();
  rmSync(folder, { recursive: true });
}

async function compareOverHttp(names: readonly string[], pdf: Uint8Array): Promise<void> {
  const services: Service[] = [];
  const servers: ProgramServer[] = [];
  try {
    for (const target of ["host", "wrangler"] as const) {
      const engines = target === "host" ? { container: ["threads"] as const, vars: HOST_VARS } : {};
      services.push(await startService({ target, variant: "private", ...engines }));
    }
    for (const name of names) servers.push(await startProgramServer(PEERS[name]!));
    const body = multipart({ new_open_password: OPEN }, [{ name: "a.pdf", bytes: pdf }]);
    const all = [
      ...services.map(({ target, url, pid, container }) => ({
        ...{ name: target, pids: [pid, ...(container?.pid === undefined ? [] : [container.pid])] },
        send: () => exchange(`${url}/encrypted-pdf`, body, { Accept: "application/pdf" }),
      })),
      ...servers.map(({ url, pid }, index) => ({
        ...{ name: `${names[index]} server`, pids: [pid] },
        send: () => exchange(url, Buffer.from(pdf)),
      })),
    ];
    const totals = all.map(() => ({ time: 0, processorTime: 0 }));
    // The first round warms up.
    for (let round = 0; round <= ROUNDS; round++) {
      for (const [index, { pids, send }] of all.entries()) {
        const [started, before] = [performance.now(), processorMs(pids)];
        await Promise.all(Array.from({ length: CLIENTS }, () => sendAll(send)));
        if (round === 0) continue;
        totals[index]!.time += performance.now() - started;
        totals[index]!.processorTime += processorMs(pids) - before;
      }
    }
    const count = ROUNDS * CLIENTS * REQUESTS;
    console.log(`\nA page over HTTP, ${CLIENTS} clients at once, interleaved; ratios are host / theirs.`);
    console.log(row(["", "requests/s", "ratio", "CPU ms"]));
    for (const [index, { time, processorTime }] of totals.entries()) {
      const ratio = (time / totals[0]!.time).toFixed(2);
      console.log(
        row([all[index]!.name, ((count / time) * 1000).toFixed(1), ratio, (processorTime / count).toFixed(1)]),
      );
    }
  } finally {
    for (const server of servers) server.stop();
    await Promise.all(services.map((service) => service.stop()));
  }
}

async function sendAll(send: () => Promise<Buffer>): Promise<void> {
  for (let request = 0; request < REQUESTS; request++) {
    const answer = await send();
    if (!answer.subarray(0, 5).equals(Buffer.from("%PDF-"))) throw new Error(answer.toString().slice(0, 200));
  }
}

function ranProgram(command: readonly string[]): number {
  rmSync(join(folder, "out.pdf"), { force: true });
  return programTime(command, folder);
}

function ranWasm(input: Uint8Array): number {
  const started = process.cpuUsage();
  const { input: from, output: to } = QPDF_PATHS;
  runQpdf(["--no-warn", "--encrypt", OPEN, OPEN, "256", "--", from, to], { input, heapLimitBytes: HEAP_LIMIT_BYTES });
  const { user, system } = process.cpuUsage(started);
  return (user + system) / 1000;
}
