// Checks what hosts have left after faults: files, messages, limits and usage.

import { setTimeout as sleep } from "node:timers/promises";
import { inflateSync } from "node:zlib";
import { S3Bucket } from "../../../host/storage/s3/s3-bucket.ts";
import type { S3Settings } from "../../../host/storage/s3/s3-client.ts";
import { LIMITS } from "../../../src/document/contract/limits.ts";
import type { BucketObject } from "../../../src/service/ports/bucket.ts";
import type { Cluster, Fault } from "./cluster.ts";
import {
  type Accepted,
  type Broken,
  contentOf,
  type Kind,
  LIMITED,
  PLAIN,
  type Success,
  type Traffic,
  UPLOADS,
} from "./traffic.ts";

export const PER_MINUTE = 12;
/** The limit counts in seconds. */
const WINDOW_MS = 59_000;
/** A crash of the database can lose the counts of a second. */
const UNSAVED_MS = 2000;
/** A host that is killed loses the usage that it has not recorded; while the database is away, that is more. */
const UNRECORDED_MS = 15_000;
const SETTLED_WITHIN_MS = 90_000;
/** Longest time from a file's storage to the response. */
const UNANSWERED_MS = 8000;
/** Time in which a killed process ends. */
const SIGNALED_MS = 1000;
/** A host that freezes while it posts a message counts the attempt as failed, and then posts again. */
const RETRIED_AFTER_MS = 4400;
/** A host that dies while it posts a message leaves it leased; then the next attempt follows. */
const MESSAGES_WITHIN_MS = LIMITS.webhookLeaseMs + 30_000;

/** Returns what answers are wrong: none, or two different ones, or files that are not whole. */
export async function wrongAnswers(url: string, accepted: readonly Accepted[]): Promise<string[]> {
  const wrong: string[] = [];
  for (const { kind, results, jobs, ids } of accepted) {
    if (results.size !== 1) wrong.push(`${kind} with ${results.size} results: ${[...results].join(" ")}`);
    if (jobs.size !== (kind === "async" ? 1 : 0)) wrong.push(`${kind} with ${jobs.size} jobs`);
    for (const id of ids) {
      const response = await fetch(`${url}/resource/${id}?format=file`);
      const bytes = Buffer.from(await response.bytes());
      if (response.status !== 200 || !isWhole(bytes, kind))
        wrong.push(`${kind}: file ${id}: ${response.status}, ${bytes.length} B`);
    }
  }
  return wrong;
}

/** Opens a file: a PDF, a PNG or an HTML page. */
function isWhole(bytes: Buffer, kind: Kind): boolean {
  const text = bytes.toString("latin1");
  if (text.startsWith("%PDF-")) return /%%EOF\s*$/.test(text);
  if (!text.startsWith("\x89PNG")) return text.includes(contentOf(kind));
  const data: Buffer[] = [];
  for (let at = 8; at < bytes.length; at += 12 + bytes.readUInt32BE(at)) {
    if (text.slice(at + 4, at + 8) === "IDAT") data.push(bytes.subarray(at + 8, at + 8 + bytes.readUInt32BE(at)));
  }
  return text.slice(-8, -4) === "IEND" && inflateSync(Buffer.concat(data)).length > bytes.readUInt32BE(20);
}

/** Returns the stored objects. */
export async function objectsIn(settings: S3Settings): Promise<BucketObject[]> {
  using bucket = await S3Bucket.open(settings);
  const objects: BucketObject[] = [];
  for (let cursor: string | undefined; ; ) {
    const page = await bucket.list(cursor === undefined ? {} : { cursor });
    objects.push(...page.objects);
    if (!page.truncated) return objects;
    cursor = page.cursor;
  }
}

/**
 * Waits until only the files of answers are stored, and those of requests whose host was killed. Lost attempts of jobs
 * leave no output. @returns what else is stored, or is not
 */
export async function wrongObjects(cluster: Cluster, ids: readonly string[], broken: readonly Broken[]) {
  const { settings } = cluster.files;
  const expected = new Set(ids.map((id) => (Number.parseInt(id.at(-1)!, 16) % 2 === 1 ? id.slice(0, 19) : id)));
  const kills = cluster.faults.filter(({ what }) => what === "kill");
  using bucket = await S3Bucket.open(settings);
  const started = performance.now();
  for (;;) {
    const objects = await objectsIn(settings);
    const others = objects.filter(({ key }) => !expected.has(key.split("/").at(-1)!));
    let unknownUploads = broken.filter(({ key }) => key === UPLOADS).length;
    const missing = expected.size - (objects.length - others.length);
    const wrong = missing === 0 ? [] : [`${missing} of ${expected.size} objects missing`];
    for (const { key, uploaded } of others) {
      const content = Buffer.from((await (await bucket.get(key))?.bytes()) ?? []).toString();
      // A host creates the upload of a client that gave up while the host was frozen.
      if (key.startsWith("uploads/") && unknownUploads-- > 0) continue;
      const isOfKill = kills.some(({ from }) => +uploaded > from - UNANSWERED_MS && +uploaded < from + 1000);
      const isOfLostAttempt = key.startsWith("files/2") && content.includes(contentOf("async"));
      if (isOfKill && !isOfLostAttempt) continue;
      wrong.push(`${key} of ${uploaded.toISOString()} is of no answer: ${content.slice(0, 40)}`);
    }
    if (wrong.length === 0)
      console.log(`  ${expected.size} objects, and ${others.length} of requests without a response`);
    if (wrong.length === 0 || performance.now() - started > SETTLED_WITHIN_MS) return wrong;
    await sleep(5000);
  }
}

/** Returns jobs without a message, with messages of other results, or with a repeated one; and unknown jobs. */
export async function wrongMessages(accepted: readonly Accepted[], messages: ReadonlyMap<string, readonly Message[]>) {
  const jobs = new Map(accepted.flatMap((entry) => [...entry.jobs].map((id) => [id, entry] as const)));
  const started = performance.now();
  while (messages.size < jobs.size && performance.now() - started < MESSAGES_WITHIN_MS) await sleep(1000);
  const unknown = [...messages.keys()].filter((id) => !jobs.has(id)).map((id) => `message of an unknown job ${id}`);
  const wrong = [...jobs].flatMap(([id, { results }]) => {
    const received = messages.get(id) ?? [];
    const isRight = received.every(({ result }) => results.has(result));
    const pauses = received.slice(1).map(({ at }, index) => at - received[index]!.at);
    if (received.length > 0 && isRight && pauses.every((pause) => pause > RETRIED_AFTER_MS)) return [];
    return [`job ${id} has ${received.length} messages, after ${pauses} ms`];
  });
  return [...unknown, ...wrong];
}

export interface Message {
  /** As in `Accepted.results`. */
  readonly result: string;
  /** Time in milliseconds since 1970. */
  readonly at: number;
}

/** Returns requests without a response that no kill and no freeze explains. */
export const wronglyBroken = (broken: readonly Broken[], faults: readonly Fault[]): string[] =>
  broken
    .filter(({ sent, ended, isLate }) => {
      const during = (fault: Fault) => sent < (isLate ? fault.until : fault.from + SIGNALED_MS) && ended >= fault.from;
      return !faults.some((fault) => fault.what === (isLate ? "freeze" : "kill") && during(fault));
    })
    .map(({ sent, ended, isLate }) => `a request of ${ended - sent} ms ${isLate ? "had no response" : "broke"}`);

/** Returns windows with more requests than the limit allows. */
export function exceededLimits(successes: readonly Success[], faults: readonly Fault[]): string[] {
  const crashes = faults.filter(({ what }) => what === "immediate");
  const counted = successes.filter(
    ({ key, sent, answered }) =>
      key === LIMITED && !crashes.some(({ from, until }) => answered > from - UNSAVED_MS && sent < until),
  );
  return counted.flatMap(({ sent: first }) => {
    const within = counted.filter(({ sent, answered }) => sent >= first && answered <= first + WINDOW_MS).length;
    return within > PER_MINUTE ? [`${within} of ${PER_MINUTE} requests within ${WINDOW_MS} ms`] : [];
  });
}

/** Compares the recorded usage with what clients counted. */
export async function wrongUsage(cluster: Cluster, { successes, broken }: Traffic): Promise<string[]> {
  await sleep(5000);
  const wrong: string[] = [];
  for (const key of [PLAIN, LIMITED]) {
    const response = await fetch(`${cluster.balancer.url}/usage`, { headers: { "Api-Key": key } });
    const { total } = (await response.json()) as { readonly total: { readonly requests: number; errors: number } };
    const own = successes.filter((success) => success.key === key);
    const lost = own.filter(({ host, answered }) =>
      cluster.faults.some(
        ({ what, port, from }) => what === "kill" && port === host && answered > from - UNRECORDED_MS,
      ),
    ).length;
    const [least, most] = [own.length - lost, own.length + broken.filter((request) => request.key === key).length];
    const recorded = total.requests - total.errors;
    console.log(`  usage of ${key}: ${recorded} recorded, ${own.length} counted, ${least} to ${most} expected`);
    if (recorded < least || recorded > most) wrong.push(`usage ${recorded} is not from ${least} to ${most}`);
  }
  return wrong;
}
