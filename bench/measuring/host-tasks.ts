// Tasks for comparing hosts. Each has the request to a service, and an equivalent command or request to the plain
// server.

import { randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { docx, paragraph } from "../../test/fixtures/office.ts";
import { book } from "../documents.ts";
import { exchange, type FilePart, multipart } from "./measure.ts";

export interface Task {
  readonly name: string;
  /** The host's target for this task. */
  readonly goal?: string;
  /** Sends the measured request to a service. */
  send(url: string): Promise<void>;
  /** Number of clients that send concurrently. @default 1 */
  readonly clients?: number;
  /** Equivalent commands, which run in a folder with the files. */
  readonly commands?: Readonly<Record<string, readonly string[]>>;
  readonly files?: readonly FilePart[];
  /** Sends the equivalent request to the plain server. */
  sendPlain?(url: string): Promise<void>;
}

const MB = 1e6;
const BOOK = "pdf/pdf2image-memory-error-test-400p.pdf";
const HTML = "<!doctype html><title>A</title><h1>Hello</h1><p>A short page of text.</p>";

export function tasks(corpus: string): Task[] {
  const file: FilePart = { name: basename(BOOK), bytes: readFileSync(join(corpus, BOOK)) };
  const letter = docx({ body: paragraph("A letter of one page.") });
  const page = Buffer.from(HTML);
  return [
    drawing(file, { format: "png", pages: "20", dpi: 300, goal: "0.6 of mutool" }),
    drawing(file, { format: "png", pages: "1-100", dpi: 150, goal: "0.2 of mutool" }),
    drawing(file, { format: "jpg", pages: "1-100", dpi: 150 }),
    merging(),
    ...[1, 4].map((clients) => conversion("letter.docx", letter, clients, "60 ms, 40 a second")),
    ...[1, 4].map((clients) => conversion("page.html", page, clients, "70 ms, 18 a second")),
    pdfa(),
    ...transfers(),
  ];
}

interface Drawing {
  readonly format: "png" | "jpg";
  readonly pages: string;
  readonly dpi: number;
  readonly goal?: string;
}

/** Returns a task that renders pages. If there is only one page, the task also fetches its image. */
function drawing(file: FilePart, { format, pages, dpi, goal }: Drawing): Task {
  const { name } = file;
  const [first, last = first] = pages.split("-") as [string, string?];
  const body = multipart({ output: "a", pages, resolution: dpi }, [file]);
  const mutool = ["mutool", "draw", "-q", "-r", String(dpi), "-c", "rgb", "-o", "m%d.png", name, pages];
  const pdftoppm = [
    ...["pdftoppm", format === "png" ? "-png" : "-jpeg", "-r", String(dpi), "-cropbox"],
    ...["-f", first, "-l", last, name, "p"],
  ];
  return {
    name: `${format} of pages ${pages}, ${dpi} dpi`,
    ...(goal ? { goal } : {}),
    async send(url) {
      const made = await post(`${url}/${format}`, body);
      if (first === last) await exchange(made);
    },
    commands: { ...(format === "png" ? { mutool } : {}), pdftoppm },
    files: [file],
  };
}

function merging(): Task {
  const files = Array.from({ length: 10 }, (_, index) => ({ name: `${index}.pdf`, bytes: book(20, 50_000) }));
  const each = (value: string) => files.map(() => value);
  const body = multipart({ output: "a", "pages[]": each("1-last"), "type[]": each("file") }, files);
  return {
    ...{ name: "merge of 10 x 20 pages", goal: "1.0 of qpdf", files },
    send: async (url) => void (await post(`${url}/merged-pdf`, body)),
    commands: { qpdf: ["qpdf", "--empty", "--pages", ...files.map(({ name }) => name), "--", "out.pdf"] },
  };
}

function conversion(name: string, bytes: Uint8Array, clients: number, goal: string): Task {
  const body = multipart({ output: "a" }, [{ name, bytes }]);
  return {
    ...{ name: `${name} to PDF, ${clients} at once`, clients, goal },
    send: async (url) => void (await post(`${url}/pdf`, body)),
  };
}

function pdfa(): Task {
  const body = multipart({ output: "a", output_type: "PDF/A-2b" }, [{ name: "book.pdf", bytes: book(20, 50_000) }]);
  return { name: "PDF/A of 20 pages", send: async (url) => void (await post(`${url}/pdfa`, body)) };
}

/** Returns tasks that only transfer files. The plain server stores a body in a file and returns it. */
function transfers(): Task[] {
  const body = multipart({ output: "a" }, [{ name: "random.bin", bytes: randomBytes(50 * MB) }]);
  const goal = "1.5 of the plain server";
  const ids = new Map<string, Promise<string>>();
  const upload = async (url: string) => {
    const { files } = JSON.parse((await exchange(`${url}/upload`, body)).toString()) as { files: { id: string }[] };
    return files[0]!.id;
  };
  const stored = (url: string) => {
    const id = ids.get(url) ?? upload(url);
    ids.set(url, id);
    return id;
  };
  const up = async (url: string) => void (await exchange(url, body));
  return [
    { ...{ name: "50 MB up", goal }, send: async (url) => void (await upload(url)), sendPlain: up },
    {
      ...{ name: "50 MB down", goal },
      send: async (url) => void (await exchange(`${url}/resource/${await stored(url)}?format=file`)),
      sendPlain: async (url) => void (await exchange(url)),
    },
    { name: "50 MB to an archive", send: async (url) => void (await post(`${url}/zip`, body)), sendPlain: up },
  ];
}

/** @returns the URL of the output */
async function post(url: string, body: Buffer): Promise<string> {
  const answer = JSON.parse((await exchange(url, body)).toString()) as { outputUrl?: string; error?: string };
  if (!answer.outputUrl) throw new Error(`${url}: ${answer.error}`);
  return answer.outputUrl;
}
