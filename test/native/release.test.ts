// Tests what a release publishes: `npm run release -- --dry-run` installs and runs its files in a clean folder, and other
// programs judge them and the results.
// Contract: docs/versions.md
import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { root } from "../../scripts/services/wrangler.ts";
import { UNREACHABLE } from "../support/client-tools.ts";

const execute = promisify(execFile);
const run = async (program: string, ...args: string[]) => (await execute(program, args, { cwd: root })).stdout;

test("the files of a release can be installed, and convert", async (context) => {
  const work = await mkdtemp(join(tmpdir(), "release-"));
  const [folder, clean] = [join(work, "release"), join(work, "clean")];
  try {
    const args = ["--no-warnings", "scripts/release.ts", "--dry-run", "--folder", folder, "--clean", clean];
    const printed = await run(process.execPath, ...args).catch((error: Error) => {
      if (UNREACHABLE.test(error.message)) context.skip("The package registry is not within reach.");
      throw error;
    });
    const [title] = printed.split("\n");
    const [, service, client] = /^(?:Service ([\d.]+))?(?:, )?(?:client ([\d.]+))? \(\d{4}-\d\d-\d\d\)$/i.exec(title!)!;
    const version = service ?? JSON.parse(await readFile(join(root, "package.json"), "utf8")).version;

    expect(await run("pdfinfo", join(clean, "first.pdf"))).toMatch(/^Pages: +2$[\s\S]*^Page size: +419\.\d+ x 595\./m);
    expect(await run("pdftotext", join(clean, "first.pdf"), "-")).toContain("First");
    expect(await run("pngcheck", join(clean, "first.png"))).toMatch(/^OK: .*\(29\dx41\dx?/m);

    const listed = async (name: string) => (await run("tar", "-tzf", join(folder, name))).trim().split("\n");
    const files = await listed(`pagewright-image-${version}.tar.gz`);
    expect(files).toEqual(expect.arrayContaining(["package.json", "src/index.ts", "host/server.ts", "docs/api.md"]));
    const others = /(^|\/)(node_modules|dist|generated)\/|^(test|bench|deploy|\.git)\/|engines\/\w+\/test\//;
    expect(files.filter((path) => others.test(path))).toEqual([]);
    const chart = await listed(`pagewright-chart-${version}.tgz`);
    expect(chart.filter((path) => path.startsWith("pagewright/ci/"))).toEqual([]);
    expect(chart).toEqual(expect.arrayContaining(["pagewright/Chart.yaml", "pagewright/templates/deployment.yaml"]));
    if (client) expect(await listed(`pagewright-client-${client}.tgz`)).toContain("package/dist/cli/main.js");
    const bill = JSON.parse(await readFile(join(folder, `pagewright-${version}.cdx.json`), "utf8"));
    expect(bill.metadata.component).toMatchObject({ name: "pagewright", version });
    const names = bill.components.map(({ name }: { name: string }) => name);
    expect(names).toEqual(expect.arrayContaining(["hono", "mupdf", "zod"]));
    expect(names).not.toContain("vitest");
    expect(await readFile(join(folder, "notes.md"), "utf8")).toMatch(
      new RegExp(`^# ${title!.replaceAll(/[().]/g, "\\$&")}\n\n### `),
    );
  } finally {
    await rm(work, { recursive: true, force: true });
  }
});
