// Tests that the renderer of a slow job runs at a lower priority than those of other jobs.
import { readdirSync, readFileSync } from "node:fs";
import { getPriority } from "node:os";
import { afterEach, beforeAll, expect, test } from "vitest";
import { chromium, nothingIsLeft, openChromium, pages, site, works } from "../../../../test/support/chromium-site.ts";
import { chromiumProcesses, print } from "../../../../test/support/chromiums.ts";
import { eventually } from "../../../../test/support/eventually.ts";
import { Priority, SLOW_PRIORITY } from "../../../processes/priority.ts";
import { statFields } from "../../../processes/proc.ts";

openChromium();

const ENDLESS = "for (;;);";
/** Headers of an isolated page, which the browser shows in a separate process. */
const APART = { "Cross-Origin-Opener-Policy": "same-origin", "Cross-Origin-Embedder-Policy": "require-corp" };

let jobs: { ending: AbortController; printed: Promise<unknown> }[] = [];

beforeAll(() => {
  pages.set("/frame", (_, response) => response.setHeader("Content-Type", "text/html").end(`<p>In a frame`));
  pages.set("/apart", (_, response) => {
    for (const [name, value] of Object.entries(APART)) response.setHeader(name, value);
    response.setHeader("Content-Type", "text/html").end(`<p>Apart<script>${ENDLESS}</script>`);
  });
});

afterEach(async () => {
  for (const { ending } of jobs) ending.abort(new Error("enough"));
  await Promise.all(jobs.map(({ printed }) => printed));
  jobs = [];
  // Renderers of prepared pages have normal priority.
  await works();
  await nothingIsLeft();
  await eventually(() => expect(renderers().filter(isLow)).toEqual([]));
});

const renderers = () => chromiumProcesses(chromium.pid!, "renderer");

/** Returns the priorities of a process's threads. The process or a thread might exit meanwhile. */
function prioritiesOf(pid: number): number[] {
  try {
    return readdirSync(`/proc/${pid}/task`).flatMap((thread) => priorityOf(Number(thread)) ?? []);
  } catch {
    return [];
  }
}

function priorityOf(thread: number): number | undefined {
  try {
    return getPriority(thread);
  } catch {
    return undefined;
  }
}

function isLow(pid: number): boolean {
  const priorities = prioritiesOf(pid);
  return priorities.length > 0 && priorities.every((priority) => priority === SLOW_PRIORITY);
}

/** Returns the CPU time that a process has used, in the system's ticks. */
function workOf(pid: number): number {
  const [user, system] = statFields(readFileSync(`/proc/${pid}/stat`, "latin1"))
    .slice(11, 13)
    .map(Number);
  return user! + system!;
}

/** Returns the renderers that have used more CPU time than an idle page does. */
const busy = () => renderers().filter((pid) => workOf(pid) > 60);

function begin(html: string): { readonly priority: Priority; end(): Promise<unknown> } {
  const ending = new AbortController();
  const priority = new Priority();
  async function* work() {
    yield await print(chromium, html, {}, ending.signal);
  }
  const printed = priority
    .within(work())
    .next()
    .catch(() => {});
  jobs.push({ ending, printed });
  const end = () => {
    ending.abort(new Error("enough"));
    return printed;
  };
  return { priority, end };
}

const endless = () => begin(`<p>Endless<script>${ENDLESS}</script>`);
const apart = () => begin(`<script>location = "${site.url}/apart"</script>`);

test("a slow page's renderer is served last, its frames and workers with it, and no other", async () => {
  const worker = `new Worker(URL.createObjectURL(new Blob(["${ENDLESS}"])))`;
  const { priority } = begin(
    `<iframe src="${site.url}/frame"></iframe><iframe sandbox srcdoc="x"></iframe><script>${worker}</script>
     <script>const end = performance.now() + 3000; while (performance.now() < end);</script>
     <script>for (let count = 0; count < 4; count++) ${worker}</script><script>${ENDLESS}</script>`,
  );
  endless();
  await eventually(() => expect(busy()).toHaveLength(2));
  expect(renderers().filter(isLow)).toEqual([]);
  priority.lower();
  await eventually(() => expect(renderers().filter(isLow)).toHaveLength(1));
  await eventually(() => expect(prioritiesOf(renderers().find(isLow)!).length).toBeGreaterThan(10));
  expect(busy()).toContain(renderers().find(isLow));
});

test("a job that is slow already when it gets a page", async () => {
  const { priority } = begin(`<p>Slow<script>${ENDLESS}</script>`);
  priority.lower();
  await eventually(() => expect(renderers().filter(isLow)).toHaveLength(1));
  await eventually(() => expect(busy().filter(isLow)).toHaveLength(1));
});

test("a slow page that moves to a process apart", async () => {
  const { priority } = apart();
  await eventually(() => expect(busy()).toHaveLength(1));
  priority.lower();
  await eventually(() => expect(busy().filter(isLow)).toHaveLength(1));
});

test("of two pages apart the quick one keeps its priority", async () => {
  const slow = apart();
  const quick = apart();
  await eventually(() => expect(busy()).toHaveLength(2));
  slow.priority.lower();
  expect(renderers().filter(isLow)).toEqual([]);
  await quick.end();
  await eventually(() => expect(busy().filter(isLow)).toHaveLength(1));
});
