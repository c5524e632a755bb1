// Runs endless jobs alongside small ones, with the real engines: small jobs must be completed, whichever client sent
// them.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type ContainerProcess, startContainer } from "../../scripts/services/container-process.ts";
import type { Input } from "../../src/document/contract/operation.ts";
import { docx, paragraph, xlsx } from "../fixtures/office.ts";
import { carryOut, memoryInput } from "../support/container-client.ts";
import { eventually } from "../support/eventually.ts";

/** Maximum response time on a busy machine. */
const ANSWERED_WITHIN_MS = 90_000;

interface Kind {
  readonly operation: string;
  readonly params: object;
  readonly small: Input;
  readonly endless: Input;
}

const file = (text: string, name: string) => memoryInput(Buffer.from(text, "latin1"), name);

/** Returns formulas that each compare millions of pairs of numbers. */
// cspell:ignore SUMPRODUCT
function slowFormulas(count: number): Uint8Array {
  const rows = Array.from({ length: count }, (_, index) => {
    const pairs = `ROW(1:2000)&gt;TRANSPOSE(ROW(${index + 1}:${index + 2000}))`;
    return `<row r="${index + 1}"><c r="A${index + 1}"><f>SUMPRODUCT(--(${pairs}))</f></c></row>`;
  });
  return xlsx(rows.join(""));
}

const KINDS = {
  postscript: {
    operation: "postscript-to-pdf",
    params: { lossless: false },
    small: file("%!PS\n72 72 100 100 rectfill showpage", "small.ps"),
    endless: file("%!PS\n{} loop", "endless.ps"),
  },
  html: {
    operation: "html-to-pdf",
    params: { paper: { width: 595, height: 842 }, margin: 36, layout: "desktop", lossless: false },
    small: file("<p>Hello", "small.html"),
    endless: file("<p>Hello<script>for (;;);</script>", "endless.html"),
  },
  office: {
    operation: "office-to-pdf",
    params: { tagged: false, lossless: false },
    small: memoryInput(docx({ body: paragraph("Hello") }), "small.docx"),
    endless: memoryInput(slowFormulas(10_000), "endless.xlsx"),
  },
} as const satisfies Record<string, Kind>;

let folder: string;
let container: ContainerProcess;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "slow-jobs-test-"));
  container = await startContainer({
    logFile: join(folder, "log"),
    env: { ENGINES: "office,chromium,ghostscript", JOBS: "2" },
  });
});
afterAll(async () => {
  await container?.stop();
  await rm(folder, { recursive: true });
});

const health = async () => (await (await fetch(`${container.url}/up`)).json()) as { readonly slow: number };

function convert({ operation, params }: Kind, input: Input, client: string, signal: AbortSignal) {
  return carryOut({ ...container, client }, operation, [input], params, signal);
}

const SETS: readonly (readonly [string, readonly Kind[]])[] = [
  ["PostScript", Array(4).fill(KINDS.postscript)],
  ["HTML", Array(4).fill(KINDS.html)],
  ["documents", Array(4).fill(KINDS.office)],
  ["a mixture", [KINDS.postscript, KINDS.html, KINDS.office, KINDS.html]],
];

test.each(SETS)(
  "four endless jobs of %s leave room for small ones of the same client and of another",
  async (_, kinds) => {
    const ending = new AbortController();
    const endless = Promise.allSettled(kinds.map((kind) => convert(kind, kind.endless, "a", ending.signal)));
    try {
      await eventually(async () => expect((await health()).slow).toBe(4));
      for (const kind of new Set(kinds)) {
        for (const client of ["a", "b", "a", "b"]) {
          const signal = AbortSignal.any([ending.signal, AbortSignal.timeout(ANSWERED_WITHIN_MS)]);
          const [made] = await convert(kind, kind.small, client, signal);
          expect(made!.bytes.subarray(0, 5).toString()).toBe("%PDF-");
        }
      }
      expect((await health()).slow).toBe(4);
    } finally {
      ending.abort(new Error("enough"));
      await endless;
    }
    await eventually(async () => expect((await health()).slow).toBe(0));
  },
  480_000,
);
