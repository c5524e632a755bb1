// Tests a request with an Idempotency-Key whose service is killed while the request runs.
// Contract: docs/api.md#idempotency
import { randomUUID } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { textPdf } from "../fixtures/pdfs.ts";
import { eventually } from "../support/eventually.ts";
import { type MortalService, startMortalService } from "../support/restartable-service.ts";
import { targetOf } from "../support/service.ts";
import { openStoredFiles } from "../support/stored-files.ts";

type Fields = Readonly<Record<string, string | Blob>>;

test("a key is free again, and an answer still known, after a crash", async () => {
  const folder = mkdtempSync(join(tmpdir(), "idempotency-"));
  let service: MortalService | undefined;
  try {
    const send = async (key: string, fields: Fields) => {
      const body = new FormData();
      for (const [name, value] of Object.entries(fields)) body.append(name, value);
      const init = { method: "POST", body, headers: { "Idempotency-Key": key } };
      const response = await fetch(`${service!.url}/png`, init);
      const { outputId } = (await response.json()) as { outputId: unknown };
      return { status: response.status, replayed: response.headers.get("Idempotent-Replayed"), outputId };
    };
    const file = new File([Buffer.from(await textPdf(24))], "a.pdf");
    const slow = { file, output: "made", resolution: "250" };
    const quick = { file, output: "made", pages: "1" };
    const [key, quickKey] = [randomUUID(), randomUUID()];
    service = await startMortalService(folder);
    const first = await send(quickKey, quick);
    const address = { target: targetOf(process.env), persistTo: join(folder, "storage") };
    await using storage = await openStoredFiles(address);
    const before = await storage.count();
    const killed = send(key, slow).catch(() => "killed");
    // After its file is stored, the request claims its key, so that no other request can use it, and runs for seconds.
    await eventually(async () => expect(await storage.count()).toBeGreaterThan(before), { intervalMs: 10 });
    expect((await send(key, quick)).status).toBe(422);
    await service.kill();
    expect(await killed).toBe("killed");
    service = await startMortalService(folder);
    expect((await send(quickKey, quick)).outputId).toEqual(first.outputId);
    const again = await send(key, slow);
    expect([again.status, again.replayed]).toEqual([200, null]);
  } finally {
    await service?.stop();
    rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
  }
});
