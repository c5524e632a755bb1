// Tests over HTTP that the static documents of one client share a renderer, and those of clients behind a proxy do not
// (decision 83).
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { processesOf } from "../../support/chromiums.ts";
import { eventually } from "../../support/eventually.ts";
import { startHost } from "../../support/host-server.ts";

const STATIC = "<!doctype html><title>t</title><style>p { color: #036 }</style><p>static";
/** Number of prepared pages: one more than jobs. */
const READY = 3;

test("documents of an address share a renderer, unless a proxy hides the client or a document needs its own", async () => {
  const folder = await mkdtemp(join(tmpdir(), "shared-renderers-"));
  const settings = { ENGINES: "chromium,threads", JOB_CONCURRENCY: "2" };
  const host = await startHost({ dataFolder: join(folder, "data"), logFile: join(folder, "host.log"), settings });
  try {
    const convert = async (
      html: string,
      headers = {},
      fields: Readonly<Record<string, string>> = {},
      path = "/pdf",
    ) => {
      const body = new FormData();
      for (const [name, value] of Object.entries({ output: "page", ...fields })) body.append(name, value);
      body.append("file", new File([html], "page.html"));
      const response = await fetch(`${host.url}${path}`, { method: "POST", body, headers });
      expect(response.status, await response.text()).toBe(200);
    };
    const renderers = () => processesOf(host.pid, "renderer");
    // A job that was slow, as the first one can be, leaves no renderer to others.
    await eventually(async () => {
      await convert(STATIC);
      expect(await renderers()).toHaveLength(READY + 1);
    });
    let before = await renderers();
    for (let count = 0; count < 3; count++) await convert(STATIC);
    expect(await renderers()).toEqual(before);
    for (const [html, headers, fields, path] of [
      [STATIC, { "X-Forwarded-For": "192.0.2.1" }, {}],
      [STATIC, {}, { web_layout: "mobile" }],
      [STATIC, {}, { wait_for: "10" }],
      [`${STATIC}<script>1</script>`, {}, {}],
      // Its window would outlast it.
      [STATIC, {}, { viewport: "300x300" }, "/png"],
    ] as const) {
      await convert(html, headers, fields, path);
      await eventually(async () => {
        const now = await renderers();
        expect(now).toHaveLength(READY + 1);
        // One renderer was used and ended, and the shared one stays.
        expect(now.filter((pid) => before.includes(pid))).toHaveLength(READY);
      });
      before = await renderers();
    }
  } finally {
    await host.stop();
    await rm(folder, { recursive: true });
  }
});
