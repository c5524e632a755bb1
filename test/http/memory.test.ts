// Measures the memory of an isolate with large pages, many pages and large uploads, by the memory of the runtime's
// process. This process also contains the local R2, so the measured values exceed the memory of the isolate.
// Contract: docs/api.md#image-endpoints, #limits, #iiif
import { readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { scanPdf, textPdf } from "../fixtures/pdfs.ts";
import { type Client, createClient, upload } from "../support/client.ts";
import { growthDuring } from "../support/resident-memory.ts";
import { type Service, startService } from "../support/service.ts";

const MiB = 2 ** 20;
let service: Service;
let client: Client;

beforeAll(async () => {
  service = await startService({ variant: "private" });
  client = createClient(service.url);
  // The first request compiles the engine.
  for (const path of ["/png", "/jpg", "/gif", "/bmp", "/tif"]) {
    await client.make(path, { file: upload(await textPdf(1)), output: "warm" });
  }
});
afterAll(() => service.stop());

/** Returns the largest heap of an engine according to the log. */
function largestHeap(): number {
  const heaps = [...readFileSync(service.logFile, "utf8").matchAll(/"heapBytes":(\d+)/g)].map(([, bytes]) =>
    Number(bytes),
  );
  return Math.max(...heaps);
}

describe("a page as wide as letter at 2400 dpi", () => {
  // A BMP of a whole letter page has 1.6 GB, which take minutes to store. A quarter of it is far above the bound, too.
  test.each([
    ...(["png", "jpg", "tif", "gif"] as const).map((format) => [format, 26_400] as const),
    ["bmp", 6600] as const,
  ])("/%s: 20,400 x %i pixels in bounded memory", async (format, height) => {
    const pdf = upload(await textPdf(1, [612, (height / 2400) * 72]));
    const growth = await growthDuring(service.appPid(), async () => {
      const { status, body } = await client.post(`/${format}`, { file: pdf, output: "large", resolution: "2400" });
      expect([status, body.error]).toEqual([200, undefined]);
      const start = await fetch(String(body.outputUrl), { headers: { Range: "bytes=0-4095" } });
      expect(sizeOf(format, Buffer.from(await start.arrayBuffer()))).toEqual(
        format === "tif" ? undefined : [20_400, height],
      );
      await fetch(`${client.url}/resource/${body.outputId}`, { method: "DELETE" });
    });
    expect(growth / MiB).toBeLessThan(96);
    expect(largestHeap() / MiB).toBeLessThan(64);
  });
});

/** Returns width and height from the start of the file. Undefined for TIFF, which has them at its end. */
function sizeOf(format: string, head: Buffer): [number, number] | undefined {
  switch (format) {
    case "png":
      return [head.readUInt32BE(16), head.readUInt32BE(20)];
    case "jpg": {
      const frame = head.indexOf(Buffer.from([0xff, 0xc0]));
      return [head.readUInt16BE(frame + 7), head.readUInt16BE(frame + 5)];
    }
    case "gif":
      return [head.readUInt16LE(6), head.readUInt16LE(8)];
    case "bmp":
      return [head.readInt32LE(18), head.readInt32LE(22)];
    default:
      return undefined;
  }
}

test("a hundred tiles at once, a POST beside them, a scan and large pictures by URL", async () => {
  const stored = async (pdf: Uint8Array) => {
    const form = new FormData();
    form.append("file", upload(pdf));
    const answer = await fetch(`${client.url}/upload`, { method: "POST", body: form });
    return ((await answer.json()) as { files: { id: string }[] }).files[0]!.id;
  };
  const [id, scan] = [await stored(await textPdf(100)), await stored(await scanPdf())];
  const image = (page: number) => `${client.url}/iiif/${id}%3A${page}`;
  const statusOf = async (url: string) => {
    const response = await fetch(url);
    await response.arrayBuffer();
    return response.status;
  };
  expect(await statusOf(`${image(1)}/0,0,512,512/512,512/0/default.png`)).toBe(200);
  const growth = await growthDuring(service.appPid(), async () => {
    const tiles = Array.from({ length: 100 }, (_, at) => `${image(at + 1)}/0,1024,512,512/512,512/0/default.png`);
    const beside = client.post("/png", { file: upload(await textPdf(3)), output: "beside" });
    const statuses = await Promise.all([...tiles, `${image(1)}/full/^5000,/0/default.png`].map(statusOf));
    expect([new Set(statuses), (await beside).status]).toEqual([new Set([200]), 200]);
    for (let at = 0; at < 35; at++) {
      const place = `${(at % 5) * 128},${Math.floor(at / 5) * 128},512,512`;
      expect(await statusOf(`${client.url}/iiif/${scan}:1/${place}/512,512/0/default.png`)).toBe(200);
    }
    for (const path of ["full/max/0/default.png", "full/^5000,/0/default.jpg", "full/^6000,/0/default.tif"]) {
      expect(await statusOf(`${image(2)}/${path}`)).toBe(200);
    }
  });
  expect(growth / MiB).toBeLessThan(96);
});

test("300 pages at 150 dpi hold no more memory than 3", async () => {
  const run = async (pages: number) => {
    const { status } = await client.post("/png", {
      file: upload(await textPdf(pages)),
      output: "page",
      resolution: "150",
    });
    expect(status).toBe(200);
  };
  await run(3);
  const few = await growthDuring(service.appPid(), () => run(3));
  const many = await growthDuring(service.appPid(), () => run(300));
  expect((many - few) / MiB).toBeLessThan(32);
  expect(largestHeap() / MiB).toBeLessThan(64);
});

test("an upload of 100 MB", async () => {
  const growth = await growthDuring(service.appPid(), async () => {
    const { status } = await client.post("/png", { file: upload(new Uint8Array(100 * MiB)), output: "page" });
    expect(status).toBe(413);
  });
  // Allows for chunks that have not been collected as garbage, and for chunks of the local R2: up to 105 MiB were
  // measured. A file that is completely in memory would add at least its own size.
  expect(growth / MiB).toBeLessThan(128);
});
