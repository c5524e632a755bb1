// Compares the service on Node with the same service under wrangler dev, and both with the usual programs, which run as
// whole processes. Rounds are interleaved: each measures everything once. Both services share one container.
import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { promisify } from "node:util";
import { startContainer } from "../scripts/container-process.ts";
import { docx, paragraph } from "../test/fixtures/office.ts";
import { type Service, startService } from "../test/support/service.ts";
import { book } from "./documents.ts";
import { agent, exchange, type FilePart, median, multipart, row } from "./measure.ts";
import { PlainServer } from "./plain-server.ts";

/** Work for a service, and the command that does the same in a folder that holds the files. */
interface Task {
  readonly name: string;
  readonly path: string;
  readonly body: Buffer;
  /** True to fetch what was made, too. */
  readonly fetches?: boolean;
  /** Number of clients that send at the same time. @default 1 */
  readonly clients?: number;
  readonly files: readonly FilePart[];
  readonly peers?: Readonly<Record<string, readonly string[]>>;
}

const MB = 1e6;
/** Requests of each of several clients. */
const REQUESTS = 6;
const BOOK = "pdf/pdf2image-memory-error-test-400p.pdf";
const HTML = "<!doctype html><title>A</title><h1>Hello</h1><p>A short page of text.</p>";

export async function compareHosts(corpus: string, rounds: number): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "bench-hosts-"));
  const container = await startContainer({ logFile: join(folder, "container.log") });
  const services: Service[] = [];
  const plain = await PlainServer.start(folder);
  try {
    for (const target of ["wrangler", "host"] as const) {
      services.push(await startService({ target, variant: "private", container }));
    }
    console.log(`\nMedian of ${rounds} rounds in milliseconds; the host's share of each of the others.`);
    console.log(row(["", "wrangler", "host", "share", "", "others"]));
    for (const task of tasks(corpus)) await compare(task, services, folder, rounds);
    await compareTransfer(services, plain, rounds);
  } finally {
    agent.destroy();
    await Promise.all([...services, container, plain].map((each) => each.stop()));
    rmSync(folder, { recursive: true });
  }
}

function tasks(corpus: string): Task[] {
  const file: FilePart = { name: basename(BOOK), bytes: readFileSync(join(corpus, BOOK)) };
  const { name } = file;
  const drawing = (format: "png" | "jpg", pages: string, dpi: number, fetches: boolean): Task => ({
    name: `${format} of pages ${pages}, ${dpi} dpi`,
    path: `/${format}`,
    body: multipart({ output: "a", pages, resolution: dpi }, [file]),
    fetches,
    files: [file],
    peers: {
      ...(format === "png"
        ? { mutool: ["mutool", "draw", "-q", "-r", String(dpi), "-c", "rgb", "-o", "m%d.png", name, pages] }
        : {}),
      pdftoppm: [
        ...["pdftoppm", format === "png" ? "-png" : "-jpeg", "-r", String(dpi), "-cropbox"],
        ...["-f", pages.split("-")[0]!, "-l", pages.split("-").at(-1)!, name, "p"],
      ],
    },
  });
  const books = Array.from({ length: 10 }, (_, index) => ({ name: `${index}.pdf`, bytes: book(20, 50_000) }));
  const each = (value: string) => books.map(() => value);
  const converted = (name: string, bytes: Uint8Array, clients: number, path = "/pdf", fields = {}): Task => {
    const files = [{ name, bytes }];
    return {
      name: `${path} of ${name}, ${clients} at once`,
      path,
      body: multipart({ output: "a", ...fields }, files),
      clients,
      files,
    };
  };
  const letter = docx({ body: paragraph("A letter of one page.") });
  const page = Buffer.from(HTML);
  return [
    drawing("png", "20", 300, true),
    drawing("png", "1-100", 150, false),
    drawing("jpg", "1-100", 150, false),
    {
      name: "merge of 10 x 20 pages",
      path: "/merged-pdf",
      body: multipart({ output: "a", "pages[]": each("1-last"), "type[]": each("file") }, books),
      files: books,
      peers: { qpdf: ["qpdf", "--empty", "--pages", ...books.map(({ name }) => name), "--", "out.pdf"] },
    },
    ...[1, 4].map((clients) => converted("letter.docx", letter, clients)),
    ...[1, 4].map((clients) => converted("page.html", page, clients)),
    converted("book.pdf", books[0]!.bytes, 1, "/pdfa", { output_type: "PDF/A-2b" }),
  ];
}

async function compare(task: Task, services: readonly Service[], folder: string, rounds: number): Promise<void> {
  const peers = Object.entries(task.peers ?? {});
  const times = new Map<string, number[]>();
  const add = (name: string, milliseconds: number) => times.set(name, [...(times.get(name) ?? []), milliseconds]);
  // Without measuring: code is compiled, and engines that start are waited for.
  for (const service of services) await request(task, service);
  for (let round = 0; round < rounds; round++) {
    for (const service of services) add(service.target, await request(task, service));
    for (const [name, command] of peers) add(name, await runPeer(command, task.files, join(folder, "peer")));
  }
  const of = (name: string) => median(times.get(name)!);
  const others = peers.map(([name]) => `${name} ${of(name).toFixed(0)} (${(of("host") / of(name)).toFixed(2)})`);
  const perSecond = (name: string) => ((1000 * task.clients!) / of(name)).toFixed(1);
  const rate = task.clients ? [`${perSecond("wrangler")}/s and ${perSecond("host")}/s`] : [];
  report(task.name, of("wrangler"), of("host"), [...others, ...rate]);
}

function report(name: string, wrangler: number, host: number, others: readonly string[]): void {
  const figures = [wrangler.toFixed(0), host.toFixed(0), (host / wrangler).toFixed(2)];
  console.log(`${row([name, ...figures])}   ${others.join(", ")}`);
}

/** @returns milliseconds for one request of each client */
async function request({ path, body, fetches = false, clients = 1 }: Task, { url }: Service): Promise<number> {
  const count = clients > 1 ? REQUESTS : 1;
  const started = performance.now();
  const client = async () => {
    for (let number = 0; number < count; number++) {
      const answer = JSON.parse((await exchange(url + path, body)).toString()) as {
        outputUrl?: string;
        error?: string;
      };
      if (!answer.outputUrl) throw new Error(`${path}: ${answer.error}`);
      if (fetches) await exchange(answer.outputUrl);
    }
  };
  await Promise.all(Array.from({ length: clients }, client));
  return (performance.now() - started) / count;
}

async function runPeer(
  [program, ...args]: readonly string[],
  files: readonly FilePart[],
  folder: string,
): Promise<number> {
  mkdirSync(folder, { recursive: true });
  for (const { name, bytes } of files) writeFileSync(join(folder, name), bytes);
  const started = performance.now();
  // Kept connections are closed in time only while nothing blocks this process.
  await promisify(execFile)(program!, args, { cwd: folder });
  const milliseconds = performance.now() - started;
  rmSync(folder, { recursive: true });
  return milliseconds;
}

/** Stores 50 MB in an archive, which is as large, and fetches it. The peer keeps a body in a file and returns it. */
async function compareTransfer(services: readonly Service[], plain: PlainServer, rounds: number): Promise<void> {
  const bytes = randomBytes(50 * MB);
  const body = multipart({ output: "a" }, [{ name: "random.bin", bytes }]);
  const up = new Map<string, number[]>([
    ["wrangler", []],
    ["host", []],
    ["plain", []],
  ]);
  const down = new Map<string, number[]>([
    ["wrangler", []],
    ["host", []],
    ["plain", []],
  ]);
  const timed = async <T>(times: number[], work: () => Promise<T>): Promise<T> => {
    const started = performance.now();
    const done = await work();
    times.push(performance.now() - started);
    return done;
  };
  for (let round = 0; round < rounds; round++) {
    for (const { target, url } of services) {
      const made = await timed(up.get(target)!, () => exchange(`${url}/zip`, body));
      const { outputUrl } = JSON.parse(made.toString()) as { outputUrl: string };
      await timed(down.get(target)!, () => exchange(outputUrl));
    }
    await timed(up.get("plain")!, () => exchange(plain.url, body));
    await timed(down.get("plain")!, () => exchange(plain.url));
  }
  for (const [name, times] of [
    ["50 MB to an archive", up],
    ["50 MB down", down],
  ] as const) {
    const of = (who: string) => median(times.get(who)!);
    const share = (of("host") / of("plain")).toFixed(2);
    report(name, of("wrangler"), of("host"), [`plain server ${of("plain").toFixed(0)} (${share})`]);
  }
}
