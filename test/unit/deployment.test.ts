// Tests the check of wrangler.toml: settings that must be equal, and one that may differ.
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { checkConfiguration } from "../../scripts/checks/deployment.ts";
import { root } from "../../scripts/services/wrangler.ts";

test("the settings agree", () => {
  expect(checkConfiguration()).toBe("EngineContainer x 2, WebContainer x 2");
});

test.each([
  ["max_instances = 2", "max_instances = 3", "CONTAINER_INSTANCES is 2, but max_instances is 3."],
  ['WEB_CONTAINER_INSTANCES = "2"', "", "WEB_CONTAINER_INSTANCES is undefined, but max_instances is 2."],
  ['"WebContainer", ', "", "WebContainer has no migration."],
])("%s replaced by %o: refused", async (text, other, sentence) => {
  const folder = await mkdtemp(join(tmpdir(), "wrangler-"));
  try {
    const config = await readFile(join(root, "wrangler.toml"), "utf8");
    expect(config).toContain(text);
    await writeFile(join(folder, "wrangler.toml"), config.replace(text, other).replaceAll('"./', `"${root}/`));
    expect(() => checkConfiguration(join(folder, "wrangler.toml"))).toThrow(sentence);
  } finally {
    await rm(folder, { recursive: true });
  }
});
