// Plants passwords and keys in every kind of request, and searches everything that the service writes for them: storage,
// claims, the queue's database, logs, traces, and the container's folders.
// Contract: docs/api.md#password-protected-inputs, #asynchronous-jobs, #signed-pdf
import { execFile } from "node:child_process";
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { afterAll, expect, test } from "vitest";
import { startContainer } from "../../scripts/services/container-process.ts";
import { Authority } from "../fixtures/credentials.ts";
import { encrypted, textPdf } from "../fixtures/pdfs.ts";
import { startCollector } from "../support/collector.ts";
import { eventually } from "../support/eventually.ts";
import { startService, type Target } from "../support/service.ts";
import { INVISIBLE, pdfsigSays, startTimeStamps } from "../support/signing.ts";

const main = join(import.meta.dirname, "../../client/cli/main.ts");
const folder = mkdtempSync(join(tmpdir(), "secret-passwords-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Each password contains this text. */
const PLANTED = "Quokka7";
const password = (use: string) => `${PLANTED} ${use}`;

/** Parts of keys and of files with keys. */
const plantedBytes: Buffer[] = [];

/** Returns the files below a folder that contain a planted secret, in any of its usual encodings. */
function findPlanted(path: string): string[] {
  if (statSync(path).isDirectory()) return readdirSync(path).flatMap((name) => findPlanted(join(path, name)));
  const bytes = readFileSync(path);
  const forms = [
    Buffer.from(PLANTED),
    Buffer.from(PLANTED, "utf16le"),
    Buffer.from(Buffer.from(PLANTED).toString("hex")),
    ...plantedBytes,
  ];
  return forms.some((form) => bytes.includes(form)) ? [path] : [];
}

async function sendAll(url: string, key: string): Promise<void> {
  const locked = encrypted(await textPdf(1), password("open"), password("owner"));
  const post = (path: string, fields: Record<string, string>, headers: Record<string, string> = {}) => {
    const body = new FormData();
    body.set("file", new File([Buffer.from(locked)], "a.pdf"));
    for (const [name, value] of Object.entries({ output: "a", ...fields })) body.set(name, value);
    return fetch(url + path, { method: "POST", body, headers: { "Api-Key": key, ...headers } });
  };
  const both = { current_open_password: password("open"), current_permissions_password: password("owner") };
  const protecting = [
    ["/encrypted-pdf", { ...both, new_open_password: password("new") }],
    ["/decrypted-pdf", both],
    ["/restricted-pdf", { ...both, new_permissions_password: password("restricting") }],
    ["/unrestricted-pdf", both],
    ["/png", { current_open_password: password("open"), resolution: "12" }],
    // Runs in the container.
    ["/pdfa", { current_open_password: password("open"), output_type: "PDF/A-2b" }],
  ] as const;
  for (const [path, fields] of protecting) {
    expect((await post(path, fields)).status).toBe(200);
    expect((await post(path, fields, { "Idempotency-Key": crypto.randomUUID() })).status).toBe(200);
    // Errors are stored with claims and logged.
    const wrong = { ...fields, current_open_password: password("wrong"), current_permissions_password: password("no") };
    expect((await post(path, wrong, { "Idempotency-Key": crypto.randomUUID() })).status).toBe(401);
    for (const sent of [fields, wrong]) {
      const accepted = await post(path, sent, { Prefer: "respond-async", "Idempotency-Key": crypto.randomUUID() });
      expect(accepted.status).toBe(202);
      await eventually(async () => {
        const status = (await (await fetch(url + accepted.headers.get("location"))).json()) as { status: string };
        expect(status.status).toBe(sent === fields ? "completed" : "failed");
      });
    }
    const long = { ...fields, current_open_password: password("x".repeat(200)) };
    expect((await post(path, long)).status).toBe(400);
  }

  const agent = new Client({ name: "test", version: "1" });
  const requestInit = { headers: { "Api-Key": key } };
  await agent.connect(new StreamableHTTPClientTransport(new URL(`${url}/mcp`), { requestInit }) as never);
  const { inputId } = (await (await post("/zip", {})).json()) as { inputId: string[] };
  const called = await agent.callTool({
    ...{ name: "decrypt", arguments: { input: inputId[0], ...both } },
  });
  expect(called.isError ?? false).toBe(false);
  await agent.close();

  writeFileSync(join(folder, "a.pdf"), locked);
  const env = { ...process.env, PAGEWRIGHT_URL: url, PAGEWRIGHT_API_KEY: key, NODE_NO_WARNINGS: "1" };
  const passwords = {
    PAGEWRIGHT_CURRENT_OPEN_PASSWORD: password("open"),
    PAGEWRIGHT_CURRENT_PERMISSIONS_PASSWORD: password("owner"),
  };
  await promisify(execFile)(process.execPath, [main, "decrypt", "a.pdf", "-d", "out"], {
    cwd: folder,
    env: { ...env, ...passwords },
  });
}

interface Signing {
  readonly url: string;
  readonly key: string;
  /** Folder of the service's storage. */
  readonly persistTo: string;
}

/** Signs with credentials as parts of the form and by their IDs, which the service deletes. */
async function signAll({ url, key, persistTo }: Signing, authority: Authority): Promise<void> {
  const signer = authority.signer("p256");
  const [pem, certificate] = [authority.read(signer.key), authority.read(signer.certificate)];
  const p12 = authority.pkcs12("rsa2048", "new", password("pfx"));
  const der = Buffer.from(
    Buffer.from(pem)
      .toString()
      .replace(/-----.*-----/g, ""),
    "base64",
  );
  const body = der.toString("base64");
  // The number of the key, also as it is in a line of PEM.
  plantedBytes.push(der.subarray(36, 68), Buffer.from(body.slice(66, 90)), Buffer.from(p12.subarray(600, 640)));
  plantedBytes.push(Buffer.from(Buffer.from(p12).toString("base64").slice(800, 840)));
  const pdf = await textPdf(1);
  const post = async (path: string, fields: Record<string, Uint8Array | string>, headers: object = {}) => {
    const form = new FormData();
    for (const [name, value] of Object.entries(fields)) {
      form.set(name, typeof value === "string" ? value : new File([Buffer.from(value)], `${name}.bin`));
    }
    return fetch(url + path, { method: "POST", body: form, headers: { "Api-Key": key, ...headers } });
  };
  const stored = async (file: Uint8Array) =>
    ((await (await post("/upload", { file })).json()) as { files: { id: string }[] }).files[0]!.id;
  const document = { file: pdf, output: "a", signature_configuration: JSON.stringify(INVISIBLE) };
  const pair = { certificate_file: certificate, private_key_file: pem };
  const pfx = { pfx_credential_file: p12, pfx_passphrase_file: Buffer.from(password("pfx")) };
  const byId = async () => ({ certificate_file: certificate, private_key_id: await stored(pem) });
  const once = () => ({ "Idempotency-Key": crypto.randomUUID() });
  for (const credential of [() => pair, () => pfx, byId]) {
    const [sent, headers] = [{ ...document, ...(await credential()) }, once()];
    const [first, second] = [await post("/signed-pdf", sent, headers), await post("/signed-pdf", sent, headers)];
    expect([first.status, second.status]).toEqual([200, 200]);
    expect(await second.text()).toBe(await first.text());
    const later = { ...document, ...(await credential()) };
    const accepted = await post("/signed-pdf", later, { Prefer: "respond-async", ...once() });
    expect(accepted.status).toBe(202);
    await eventually(async () => {
      const status = (await (await fetch(url + accepted.headers.get("location"))).json()) as { outputId: string };
      const made = await fetch(`${url}/resource/${status.outputId}?format=file`);
      expect(pdfsigSays(await made.bytes())).toEqual(["Signature is Valid."]);
      const asked = await post("/verified-pdf", { id: status.outputId });
      expect(await asked.json()).toMatchObject({ signatures: [{ intact: true, time_stamp: { intact: true } }] });
    });
  }
  const used = await byId();
  // The search finds a key that is stored.
  expect(findPlanted(persistTo)).not.toEqual([]);
  const failing = { ...document, ...used, signature_configuration: '{"type":"existing"}' };
  expect((await post("/signed-pdf", failing, once())).status).toBe(400);
  expect((await post("/signed-pdf", { ...document, ...used })).status).toBe(404);
  const wrong = { ...pfx, pfx_passphrase_file: Buffer.from(password("no")) };
  expect((await post("/signed-pdf", { ...document, ...wrong }, once())).status).toBe(400);
  const [certificateText, keyText] = [certificate, pem].map((file) => Buffer.from(file).toString());
  const texts = { certificate_file: certificateText, private_key_file: keyText };
  const steps = JSON.stringify([{ "signed-pdf": { signature_configuration: INVISIBLE, ...texts } }]);
  for (const Prefer of ["return=minimal", "respond-async"]) {
    const ran = await post("/steps", { file: pdf, output: "a", steps }, { Prefer, ...once() });
    expect(ran.status).toBe(Prefer === "respond-async" ? 202 : 200);
  }
}

test.each<Target>(["wrangler", "host"])(
  "%s: no password or key is stored, logged or traced, and no document stays in the container",
  async (target) => {
    await using collector = await startCollector();
    using authority = new Authority();
    using stamps = await startTimeStamps(authority);
    const scratch = mkdtempSync(join(folder, "scratch-"));
    // Engines run as other users.
    chmodSync(folder, 0o755);
    chmodSync(scratch, 0o755);
    const logFile = join(folder, `container-${target}.log`);
    const env = { ENGINES: "ghostscript,verapdf,threads", SCRATCH_DIR: scratch, MEMORY_SCRATCH_DIR: scratch };
    const container = await startContainer({ logFile, env });
    const vars = {
      FORM_SECRET: crypto.randomUUID(),
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      TIMESTAMP_URL: stamps.url,
    };
    try {
      const service = await startService({ target, variant: "keyed", vars, container });
      try {
        await sendAll(service.url, service.key!);
        await signAll({ ...service, key: service.key! }, authority);
        await eventually(async () => expect(collector.spans.length).toBeGreaterThan(10));
        expect(JSON.stringify(collector.spans)).not.toContain(PLANTED);
        // The search finds what is there: the names of stored files, and the operations of the container.
        expect(readFileSync(service.logFile, "utf8")).toContain("/decrypted-pdf");
        expect(readFileSync(logFile, "utf8")).toContain("unlock-pdfs");
        const places = [service.persistTo, service.logFile, logFile, scratch];
        expect(places.flatMap(findPlanted)).toEqual([]);
        // The decrypted document of a job is in the job's folder, which ends with it.
        expect(readdirSync(scratch)).not.toEqual([]);
        await eventually(async () => expect(readdirSync(scratch, { recursive: true }).filter(isOfJob)).toEqual([]));
      } finally {
        await service.stop();
      }
    } finally {
      await container.stop();
    }
  },
  300_000,
);

const isOfJob = (path: string | Buffer) => /(^|\/)job-\w+/.test(String(path));
