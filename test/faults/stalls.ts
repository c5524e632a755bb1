// One client stalls on many connections, while another client sends normal requests. These must succeed, and take at
// most twice their usual time, on the host and under workerd. `--only` selects attacks by their names in ATTACKS,
// `--targets host,wrangler` selects services; `--connections` 60; `--probes` 5 of each kind, before and during an
// attack.

import { randomBytes, randomUUID } from "node:crypto";
import { readFile } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { PDFDocument } from "pdf-lib";
import { png } from "../fixtures/pictures.ts";
import { HOST_VARS, type Service, startService, type Target } from "../support/service.ts";
import { type Bait, IdleClient } from "./idle-client.ts";
import { median } from "./statistics.ts";
import type { Run } from "./suite.ts";

const HONEST = "127.0.0.1";
const IDLE = "127.0.0.2";
const MIB = 2 ** 20;
const TAKES_HOLD_MS = 6_000;
/** Shorter times vary by chance. */
const MIN_MS = 100;
const GIVES_UP_MS = 90_000;

export const run: Run = async (options) => {
  const chosen = (name: string) => options.only.length === 0 || options.only.some((prefix) => name.startsWith(prefix));
  const targets = options.words("targets");
  const figures: string[] = [];
  let ok = true;
  for (const target of (targets.length > 0 ? targets : ["host", "wrangler"]) as Target[]) {
    const keys = { honest: randomUUID(), idle: randomUUID() };
    const vars: Record<string, string> = target === "host" ? HOST_VARS : {};
    const service = await startService({
      ...{ target, vars, variant: "keyed", apiKeys: Object.values(keys), container: true },
      // The proxy of wrangler dev would wait for the missing parts of the bodies.
      drainBodies: false,
    });
    try {
      const stage = await Stage.prepare(service, keys);
      for (const [name, attack] of Object.entries(ATTACKS).filter(([name]) => chosen(name))) {
        const result = await stage.measure(attack, options.count("connections", 60), options.count("probes", 5));
        console.log(`  ${target} ${name}: ${result.line}`);
        if (!result.ok) figures.push(`${target} ${name}`);
        ok &&= result.ok;
      }
    } finally {
      await service.stop();
    }
  }
  return { ok, line: ok ? "the other client was served in at most twice its usual time" : `too slow: ${figures}` };
};

/** The stored files that attackers and other clients can use. */
interface Scene {
  readonly keys: { readonly honest: string; readonly idle: string };
  /** ID of a stored PDF. */
  readonly pdf: string;
  /** ID of a stored PDF with large images. */
  readonly grain: string;
  /** ID of a stored file of 5 MiB that cannot be compressed. */
  readonly noise: string;
}

type Probe = (scene: Scene, send: Send) => Promise<Response>;
type Send = (path: string, init?: RequestInit) => Promise<Response>;

interface Attack {
  /** Maximum number of connections. @default no maximum */
  readonly most?: number;
  /** Time until the attack has occupied all that it can. @default TAKES_HOLD_MS */
  readonly takesHoldMs?: number;
  bait(scene: Scene): Bait | Promise<Bait>;
  readonly probes: Readonly<Record<string, Probe>>;
}

/** An image that no compression makes much smaller. */
const GRAIN = { width: 400, height: 400, channels: 3, values: [...randomBytes(400 * 400 * 3)] };

const form = (fields: Readonly<Record<string, string | Blob>>) => {
  const data = new FormData();
  for (const [name, value] of Object.entries(fields)) data.set(name, value);
  return data;
};
const post = (path: string, fields: Readonly<Record<string, string | Blob>>, headers: HeadersInit = {}) =>
  ((_, send) => send(path, { method: "POST", body: form(fields), headers })) as Probe;

const small = new Blob([randomBytes(300_000)]);
const UPLOADS = {
  "/upload": post("/upload", { file: small }),
  "/upload, a body": (_, send) =>
    send("/upload", { method: "POST", body: small, headers: { "Content-Filename": "some.bin" } }),
  tus: (_, send) =>
    send("/upload/tus", {
      method: "POST",
      body: small,
      headers: {
        "Tus-Resumable": "1.0.0",
        "Upload-Length": String(small.size),
        "Content-Type": "application/offset+octet-stream",
      },
    }),
} satisfies Record<string, Probe>;
const BY_ID: Record<string, Probe> = {
  "/png by id": ({ pdf }, send) =>
    send("/png", {
      method: "POST",
      body: JSON.stringify({ id: pdf, output: "page" }),
      headers: { "Content-Type": "application/json" },
    }),
};
const picture = (id: string, width: number) => `/iiif/${id}%3A1/full/%5E${width},/0/default.png`;
const started = randomBytes(60_000);
const json = (sizeBytes: number) => ({
  headers: { "Content-Type": "application/json", "Content-Length": String(sizeBytes) },
  sends: Buffer.concat([Buffer.from('{"output": "'), Buffer.alloc(sizeBytes - 100, "a")]),
});

const ATTACKS: Readonly<Record<string, Attack>> = {
  uploads: {
    bait: ({ keys: { idle } }) => ({
      ...{ method: "POST", path: "/upload", sends: started },
      headers: { "Api-Key": idle, "Content-Filename": "never.bin", "Content-Length": String(90 * MIB) },
    }),
    probes: UPLOADS,
  },
  forms: {
    bait: ({ keys: { idle } }) => ({
      ...{ method: "POST", path: "/upload" },
      headers: { "Api-Key": idle, "Content-Type": "multipart/form-data; boundary=edge" },
      sends: Buffer.concat([
        Buffer.from('--edge\r\nContent-Disposition: form-data; name="file"; filename="never.bin"\r\n\r\n'),
        started,
      ]),
    }),
    probes: UPLOADS,
  },
  tus: {
    bait: ({ keys: { idle } }) => ({
      ...{ method: "POST", path: "/upload/tus", sends: started },
      headers: {
        ...{ "Api-Key": idle, "Tus-Resumable": "1.0.0", "Upload-Length": String(90 * MIB) },
        ...{ "Content-Type": "application/offset+octet-stream", "Content-Length": String(90 * MIB) },
      },
    }),
    probes: UPLOADS,
  },
  pictures: {
    most: 4,
    bait: ({ grain }) => ({ method: "GET", path: picture(grain, 4_000), takesBytesPerSecond: 60_000 }),
    probes: { "large picture": ({ pdf }, send) => send(picture(pdf, 2_000)) },
  },
  answers: {
    most: 25,
    // Local R2 runs in the same process, and is busy with 750 MB of archives before their readers stall.
    takesHoldMs: 30_000,
    bait: ({ keys: { idle }, noise }) => {
      const body = Buffer.from(JSON.stringify({ id: Array(6).fill(noise), output: "all" }));
      return {
        ...{ method: "POST", path: "/zip", sends: body, takesBytesPerSecond: 60_000 },
        headers: {
          ...{ "Api-Key": idle, "Content-Type": "application/json", "Content-Length": String(body.length) },
          Accept: "application/zip",
        },
      };
    },
    probes: {
      ...BY_ID,
      "/zip": ({ noise }, send) =>
        send("/zip", {
          ...{ method: "POST", body: JSON.stringify({ id: [noise], output: "one" }) },
          headers: { "Content-Type": "application/json", Accept: "application/zip" },
        }),
    },
  },
  pipelines: {
    // Requests without a key, all on one connection, whose responses the client does not read.
    bait: () => ({
      ...{ method: "GET", path: "/openapi.json", takesBytesPerSecond: 1_000 },
      headers: { "Content-Length": "0", Connection: "keep-alive" },
      sends: Buffer.from("GET /openapi.json HTTP/1.1\r\nHost: localhost\r\n\r\n".repeat(15)),
    }),
    probes: { ...BY_ID, "/upload": UPLOADS["/upload"] },
  },
  json: {
    bait: ({ keys: { idle } }) => {
      const { headers, sends } = json(8 * MIB);
      return { method: "POST", path: "/png", headers: { ...headers, "Api-Key": idle }, sends };
    },
    probes: BY_ID,
  },
  fields: {
    bait: ({ keys: { idle } }) => {
      const field = `--edge\r\nContent-Disposition: form-data; name="output"\r\n\r\n${"a".repeat(60_000)}\r\n`;
      return {
        ...{ method: "POST", path: "/png", sends: Buffer.from(field.repeat(60)) },
        headers: { "Api-Key": idle, "Content-Type": "multipart/form-data; boundary=edge" },
      };
    },
    probes: { ...UPLOADS, ...BY_ID },
  },
  agents: {
    bait: ({ keys: { idle } }) => {
      const { headers, sends } = json(4 * MIB);
      const accept = { Accept: "application/json, text/event-stream" };
      return { method: "POST", path: "/mcp", headers: { ...headers, ...accept, "Api-Key": idle }, sends };
    },
    probes: {
      ...BY_ID,
      "/mcp": (_, send) =>
        send("/mcp", {
          method: "POST",
          body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list" }),
          headers: { "Content-Type": "application/json", Accept: "application/json, text/event-stream" },
        }),
    },
  },
};

class Stage {
  readonly #service: Service;
  readonly #scene: Scene;

  private constructor(service: Service, scene: Scene) {
    this.#service = service;
    this.#scene = scene;
  }

  static async prepare(service: Service, keys: Scene["keys"]): Promise<Stage> {
    const document = await PDFDocument.create();
    const page = document.addPage([595, 842]);
    for (let line = 0; line < 50; line++) page.drawText(`Line ${line} of a page.`, { x: 50, y: 800 - 15 * line });
    const stored = async (name: string, bytes: Uint8Array) => {
      const body = form({ file: new File([new Uint8Array(bytes)], name) });
      const headers = { "Api-Key": keys.honest };
      const response = await fetch(`${service.url}/upload`, { method: "POST", body, headers });
      return ((await response.json()) as { files: [{ id: string }] }).files[0].id;
    };
    const pdf = await stored("page.pdf", await document.save());
    page.drawImage(await document.embedPng(png(GRAIN, { colorType: 2, bits: 8 })), {
      x: 0,
      y: 0,
      width: 595,
      height: 842,
    });
    const grain = await stored("grain.pdf", await document.save());
    return new Stage(service, { keys, pdf, grain, noise: await stored("noise.bin", randomBytes(5 * MIB)) });
  }

  /** Compares the times of the probes before an attack with the times during the attack. */
  async measure(attack: Attack, connections: number, count: number) {
    const { most = Number.POSITIVE_INFINITY, takesHoldMs = TAKES_HOLD_MS, bait, probes } = attack;
    const usual = await this.#times(probes, count + 1);
    const idle = new IdleClient(this.#service.url, IDLE);
    const before = await this.#memory();
    const prepared = await bait(this.#scene);
    idle.begin(Math.min(most, connections), () => prepared);
    await sleep(takesHoldMs);
    const meanwhile = await this.#times(probes, count);
    const grown = (await this.#memory()) - before;
    await idle.end();
    const parts: string[] = [];
    let ok = true;
    for (const name of Object.keys(probes)) {
      const [one, other] = [usual[name]!, meanwhile[name]!];
      // The first probe warms up the service.
      const [usualMs, nowMs] = [median(one.times.slice(1)), median(other.times)];
      ok &&= other.failures.length === 0 && nowMs <= 2 * Math.max(MIN_MS, usualMs);
      const failed = other.failures.length > 0 ? `, not served: ${other.failures.join(" ")}` : "";
      parts.push(`${name} ${usualMs.toFixed(0)} -> ${nowMs.toFixed(0)} ms${failed}`);
    }
    return {
      ok,
      line: `${parts.join("; ")}; memory ${grown >= 0 ? "+" : ""}${grown} MB; idle client: ${idle.ends.text()}`,
    };
  }

  async #times(probes: Attack["probes"], count: number) {
    const found: Record<string, { readonly times: number[]; readonly failures: string[] }> = {};
    for (const [name, probe] of Object.entries(probes)) {
      const [times, failures]: [number[], string[]] = [[], []];
      for (let each = 0; each < count; each++) {
        const began = performance.now();
        const status = await probe(this.#scene, this.#send).then(
          async (response) => {
            await response.arrayBuffer();
            return response.ok ? undefined : String(response.status);
          },
          (error: Error) => error.name,
        );
        times.push(performance.now() - began);
        if (status !== undefined) failures.push(status);
      }
      found[name] = { times, failures };
    }
    return found;
  }

  readonly #send: Send = (path, init = {}) => {
    const headers = new Headers(init.headers);
    headers.set("Api-Key", this.#scene.keys.honest);
    headers.set("CF-Connecting-IP", HONEST);
    return fetch(this.#service.url + path, { ...init, headers, signal: AbortSignal.timeout(GIVES_UP_MS) });
  };

  /** Returns the resident memory of the app's process, in MB. */
  async #memory(): Promise<number> {
    const status = await readFile(`/proc/${this.#service.appPid()}/status`, "utf8");
    return Math.round(Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024);
  }
}
