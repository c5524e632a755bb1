// Tests the client while a service is killed and restarted, and with a file that is larger than the memory limit of the
// client's process.
// Contract: docs/api.md#resumable-uploads
import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { createReadStream, mkdtempSync, rmSync } from "node:fs";
import { open } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Pagewright } from "../../client/node.ts";
import { type MortalService, startMortalService } from "../support/restartable-service.ts";
import { type Service, startService } from "../support/service.ts";

const folder = mkdtempSync(join(tmpdir(), "client-outages-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const MIB = 2 ** 20;

describe("a service that is killed", () => {
  let service: MortalService;
  beforeAll(async () => {
    service = await startMortalService(folder);
  });
  afterAll(() => service?.stop());

  /** Returns a client of a service whose port changes with each start. @param before is awaited before each request */
  const connect = (before: (url: string, init: RequestInit) => Promise<void>) =>
    new Pagewright({
      baseUrl: "http://pagewright.test",
      retries: 20,
      fetch: async (url, init) => {
        await before(url, init);
        return fetch(url.replace("http://pagewright.test", service.url), init);
      },
    });
  /** Kills the service, and restarts it after the first failed attempt of a client. */
  function outage(): () => Promise<void> {
    let killed: Promise<void> | undefined;
    let restarted: Promise<void> | undefined;
    return async () => {
      if (killed === undefined) {
        killed = service.kill();
        await killed;
      } else {
        restarted ??= startMortalService(folder).then((next) => {
          service = next;
        });
        await restarted;
      }
    };
  }

  test("an upload goes on where the service lost it", async () => {
    let patches = 0;
    const die = outage();
    const pw = connect(async (_, { method }) => {
      if (method === "PATCH") patches++;
      if (patches >= 3) await die();
    });
    const bytes = new Uint8Array(40 * MIB).map((_, index) => (index * 31) % 253);
    const stored = await pw.upload(bytes);
    expect(Buffer.compare(await stored.bytes(), bytes)).toBe(0);
    expect(patches).toBeGreaterThan(5);
  });

  test("an operation is asked for again", async () => {
    const die = outage();
    const pw = connect(async (url) => {
      if (url.endsWith("/html")) await die();
    });
    expect(await pw.html("still here").text()).toBe("still here");
  });

  test("a download goes on", async () => {
    const pw = connect(async () => {
      await restarting;
    });
    let restarting: Promise<void> | undefined;
    const bytes = new Uint8Array(60 * MIB).map((_, index) => (index * 17) % 241);
    const stored = await pw.upload(bytes);
    const chunks: Uint8Array[] = [];
    for await (const chunk of await stored.stream()) {
      if (chunks.length === 0) {
        await service.kill();
        restarting = startMortalService(folder).then((next) => {
          service = next;
        });
      }
      chunks.push(chunk);
    }
    expect(Buffer.compare(Buffer.concat(chunks), bytes)).toBe(0);
  });
});

describe("a file of 300 MB", () => {
  let service: Service;
  beforeAll(async () => {
    service = await startService({ variant: "private", vars: { MAX_UPLOAD_MB: "400" } });
  });
  afterAll(() => service?.stop());

  test("goes up and comes back in a process that uses less memory than that", async () => {
    const [from, to] = [join(folder, "large.bin"), join(folder, "back.bin")];
    const file = await open(from, "w");
    for (let count = 0; count < 300; count++) await file.write(Buffer.alloc(MIB, count));
    await file.close();
    const script = join(import.meta.dirname, "../fixtures/large-transfer.ts");
    const run = promisify(execFile)(process.execPath, ["--no-warnings", script, service.url, from, to]);
    const { id, peakBytes } = JSON.parse((await run).stdout) as { id: string; peakBytes: number };
    console.log(`The process used at most ${Math.round(peakBytes / MIB)} MiB.`);
    expect(peakBytes).toBeLessThan(300 * MIB);
    expect(id).toMatch(/^1/);
    expect(await digestOf(to)).toBe(await digestOf(from));
  }, 900_000);
});

async function digestOf(path: string): Promise<string> {
  const hash = createHash("sha256");
  await pipeline(createReadStream(path), hash);
  return hash.digest("hex");
}
