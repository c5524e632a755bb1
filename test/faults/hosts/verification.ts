// Checks what hosts have left after faults: files, messages, limits and usage.

import { setTimeout as sleep } from "node:timers/promises";
import { S3Bucket } from "../../../host/storage/s3/s3-bucket.ts";
import type { S3Settings } from "../../../host/storage/s3/s3-client.ts";
import type { Cluster, Fault } from "./cluster.ts";
import { type Accepted, LIMITED, PLAIN, type Success, type Traffic } from "./traffic.ts";

export const PER_MINUTE = 30;
/** The limit counts in seconds. */
const WINDOW_MS = 59_000;
/** A crash of the database can lose the counts of a second. */
const UNSAVED_MS = 2000;
/** A host that is killed loses the usage that it has not recorded; while the database is away, that is more. */
const UNRECORDED_MS = 15_000;
const SETTLED_WITHIN_MS = 90_000;

/** Returns what answers are wrong: none, or two different ones, or files that are not whole. */
export async function wrongAnswers(url: string, accepted: readonly Accepted[]): Promise<string[]> {
  const wrong: string[] = [];
  for (const { kind, results, jobs, ids } of accepted) {
    if (results.size !== 1) wrong.push(`${kind} with ${results.size} results: ${[...results].join(" ")}`);
    if (jobs.size !== (kind === "async" ? 1 : 0)) wrong.push(`${kind} with ${jobs.size} jobs`);
    for (const id of ids) {
      const response = await fetch(`${url}/resource/${id}?format=file`);
      const bytes = Buffer.from(await response.bytes());
      const text = bytes.toString("latin1");
      const isWhole =
        (text.startsWith("\x89PNG") && bytes.subarray(-8, -4).toString() === "IEND") ||
        (text.startsWith("%PDF-") && /%%EOF\s*$/.test(text)) ||
        text.includes("<p>content");
      if (response.status !== 200 || !isWhole) wrong.push(`${kind}: file ${id}: ${response.status}, ${bytes.length} B`);
    }
  }
  return wrong;
}

/** Returns the keys of stored objects. */
export async function objectsIn(settings: S3Settings): Promise<string[]> {
  using bucket = await S3Bucket.open(settings);
  const keys: string[] = [];
  for (let cursor: string | undefined; ; ) {
    const page = await bucket.list(cursor === undefined ? {} : { cursor });
    keys.push(...page.objects.map(({ key }) => key));
    if (!("cursor" in page) || !page.cursor) return keys;
    cursor = page.cursor as string;
  }
}

/** Waits until only the files of answers are stored, and those of at most `unknown` requests without an answer. */
export async function wrongObjects(settings: S3Settings, ids: readonly string[], unknown: number): Promise<string[]> {
  const expected = new Set(ids.map((id) => (Number.parseInt(id.at(-1)!, 16) % 2 === 1 ? id.slice(0, 19) : id)));
  const started = performance.now();
  for (;;) {
    const names = (await objectsIn(settings)).map((key) => key.split("/").at(-1)!);
    const known = names.filter((name) => expected.has(name));
    const others = names.filter((name) => !expected.has(name));
    const isGood = known.length === expected.size && others.length <= 2 * unknown;
    if (isGood) return [];
    if (performance.now() - started < SETTLED_WITHIN_MS) await sleep(1000);
    else return [`${known.length} of ${expected.size} objects, ${others.length} others, ${unknown} unknown requests`];
  }
}

/** Returns jobs without a message, and with messages of other results. */
export function wrongMessages(accepted: readonly Accepted[], messages: ReadonlyMap<string, readonly Message[]>) {
  return accepted.flatMap(({ jobs, results }) =>
    [...jobs].flatMap((id) => {
      const received = messages.get(id) ?? [];
      const isRight = received.every(({ result }) => results.has(result));
      return received.length > 0 && isRight ? [] : [`job ${id} has ${received.length} messages`];
    }),
  );
}

export interface Message {
  /** As in `Accepted.results`. */
  readonly result: string;
}

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
export async function wrongUsage(cluster: Cluster, { successes, unknown }: Traffic): Promise<string[]> {
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
    const [least, most] = [own.length - lost, own.length + (unknown.get(key) ?? 0)];
    const recorded = total.requests - total.errors;
    console.log(`  usage of ${key}: ${recorded} recorded, ${own.length} counted, ${least} to ${most} expected`);
    if (recorded < least || recorded > most) wrong.push(`usage ${recorded} is not from ${least} to ${most}`);
  }
  return wrong;
}
