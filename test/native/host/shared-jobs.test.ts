// Tests that hosts with one PostgreSQL database and one S3 store share asynchronous jobs, also if a host freezes.
// Contract: docs/api.md#asynchronous-jobs
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { S3Bucket } from "../../../host/storage/s3/s3-bucket.ts";
import { textPdf } from "../../fixtures/pdfs.ts";
import { eventually } from "../../support/eventually.ts";
import { type HostServer, startHost } from "../../support/host-server.ts";
import { missingPostgres, type PostgresServer, startPostgres } from "../../support/postgres.ts";
import { missingS3Server, type S3Server, startS3Server } from "../../support/s3-server.ts";
import { objectsOf } from "../../support/stored-files.ts";

interface Status {
  readonly status?: string;
  readonly phase?: string;
  readonly error?: string;
  readonly outputId?: string | string[];
  readonly inputId?: string;
}

const missing = missingPostgres() ?? (await missingS3Server());
if (missing) console.log(`The tests of shared jobs are skipped: ${missing}`);
/** A job that runs for seconds: six pages. */
const LONG = { resolution: "1000", output: "page" };

let folder: string;
let database: PostgresServer;
let files: S3Server;
/** The host that accepts the jobs has no native engine. */
let accepting: HostServer;
let other: HostServer;

beforeAll(async () => {
  if (missing) return;
  folder = await mkdtemp(join(tmpdir(), "shared-jobs-"));
  [database, files] = await Promise.all([startPostgres(), startS3Server()]);
  const { endpoint, bucket, accessKeyId, secretAccessKey } = files.settings;
  const shared = {
    DATABASE_URL: await database.createDatabase(),
    ...{ S3_ENDPOINT: endpoint, S3_BUCKET: bucket },
    ...{ S3_ACCESS_KEY_ID: accessKeyId, S3_SECRET_ACCESS_KEY: secretAccessKey },
  };
  const start = (name: string, engines: string) =>
    startHost({
      dataFolder: join(folder, name),
      logFile: join(folder, `${name}.log`),
      settings: { VARIANT: "private", ENGINES: engines, ...shared },
    });
  [accepting, other] = await Promise.all([start("accepting", "threads"), start("other", "ghostscript,threads")]);
});
afterAll(async () => {
  if (missing) return;
  await Promise.all([accepting?.kill(), other?.stop()]);
  await Promise.all([database[Symbol.asyncDispose](), files[Symbol.asyncDispose]()]);
  await rm(folder, { recursive: true, force: true });
});

async function submit(path: string, file: File, fields: Readonly<Record<string, string>>): Promise<string> {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.append(name, value);
  form.append("file", file);
  const headers = { Prefer: "respond-async" };
  const response = await fetch(accepting.url + path, { method: "POST", body: form, headers });
  expect(response.status, await response.clone().text()).toBe(202);
  return ((await response.json()) as { requestId: string }).requestId;
}

const statusAt = async (host: HostServer, id: string): Promise<Status> =>
  (await (await fetch(`${host.url}/request-status/${id}`)).json()) as Status;

const completed = (host: HostServer, id: string) =>
  eventually(async () => {
    const status = await statusAt(host, id);
    expect(status, JSON.stringify(status)).toMatchObject({ status: "completed" });
    return status;
  });

/** Returns the objects in the store. */
async function objects(): Promise<string[]> {
  using bucket = await S3Bucket.open(files.settings);
  const { objects } = await bucket.list();
  return objects.map(({ key }) => key);
}

const logOf = (name: string) => readFile(join(folder, `${name}.log`), "utf8");

test.skipIf(missing !== undefined)("a host without the engine of a job leaves the job to another host", async () => {
  const id = await submit("/pdf", new File(["%!PS\n20 20 100 100 rectfill showpage"], "a.ps"), { output: "page" });
  const events = await fetch(`${accepting.url}/request-status/${id}`, { headers: { Accept: "text/event-stream" } });
  const { outputId } = await completed(accepting, id);
  expect(await events.text()).toMatch(/"status":"completed"\}\n\n$/);
  const output = await fetch(`${accepting.url}/resource/${outputId}?format=file`);
  expect((await output.text()).slice(0, 5)).toBe("%PDF-");
});

test.skipIf(missing !== undefined)("a host passes on the job of a client that waits", async () => {
  const before = (await objects()).length;
  const send = (prefer: string, content = "%!PS\n20 20 100 100 rectfill showpage") => {
    const body = new FormData();
    body.append("output", "page");
    body.append("file", new File([content], "a.ps"));
    return fetch(`${accepting.url}/pdf`, { method: "POST", body, headers: { Prefer: prefer } });
  };
  const [refused, passed, faulty] = [await send(""), await send("wait=30"), await send("wait=30", "%!PS\n(a) add")];
  expect([refused.status, passed.status, faulty.status]).toEqual([503, 200, 400]);
  expect(passed.headers.get("Preference-Applied")).toBe("wait");
  const { outputId, inputId } = (await passed.json()) as Status;
  const output = await fetch(`${accepting.url}/resource/${outputId}?format=file`);
  expect((await output.text()).slice(0, 5)).toBe("%PDF-");
  const stored = objectsOf([outputId!, inputId!].flat());
  await eventually(async () => expect((await objects()).length).toBe(before + stored));
  process.kill(other.pid, "SIGSTOP");
  const late = await send("wait=1");
  process.kill(other.pid, "SIGCONT");
  expect([late.status, late.headers.get("Retry-After")]).toEqual([503, "5"]);
  await eventually(async () => expect((await objects()).length).toBe(before + stored));
});

test.skipIf(missing !== undefined)(
  "every host cancels a job, and the jobs of a frozen host run elsewhere",
  async () => {
    const before = (await objects()).length;
    const long = new File([Buffer.from(await textPdf(6))], "a.pdf");
    // The other host would take a job if it asked for one at this moment.
    process.kill(other.pid, "SIGSTOP");
    const [canceled, continued] = [await submit("/png", long, LONG), await submit("/png", long, LONG)];
    const areRunning = async () => {
      for (const id of [canceled, continued]) expect(await statusAt(accepting, id)).toMatchObject({ phase: "running" });
    };
    await eventually(areRunning, { intervalMs: 10 });
    process.kill(accepting.pid, "SIGSTOP");
    process.kill(other.pid, "SIGCONT");
    expect((await fetch(`${other.url}/request-status/${canceled}`, { method: "DELETE" })).status).toBe(204);
    const { outputId = [], inputId = [] } = await completed(other, continued);
    process.kill(accepting.pid, "SIGCONT");
    expect(await logOf("other")).toMatch(/"message":"asynchronous job ended","path":"\/png","attempt":2/);
    // The attempts of the frozen host end now, and leave no file. It might not have begun one of them.
    const stored = [outputId, inputId].flat();
    await eventually(async () => {
      expect(await logOf("accepting")).toMatch(/"message":"asynchronous job ended","path":"\/png","attempt":1/);
      expect((await objects()).length).toBe(before + objectsOf(stored));
    });
    expect((await statusAt(accepting, continued)).outputId).toEqual(outputId);
    for (const id of stored) expect((await fetch(`${accepting.url}/resource/${id}?format=url`)).status).toBe(200);
  },
);
