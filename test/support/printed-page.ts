// Prints HTML with the command line of Chromium.
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PROGRAMS } from "../../container/engines/chromium/launch.ts";

/** @param options further options of the command line */
export async function printedPage(html: string, options: readonly string[] = []): Promise<Uint8Array> {
  const folder = await mkdtemp(join(tmpdir(), "printed-"));
  try {
    await writeFile(join(folder, "page.html"), html);
    const usual = ["--headless", "--no-sandbox", "--disable-gpu", "--no-pdf-header-footer", ...options];
    const paths = [`--user-data-dir=${folder}`, `--print-to-pdf=${folder}/page.pdf`, `file://${folder}/page.html`];
    execFileSync(PROGRAMS.find(existsSync)!, [...usual, ...paths], { stdio: "ignore", timeout: 60_000 });
    return readFileSync(join(folder, "page.pdf"));
  } finally {
    await rm(folder, { recursive: true });
  }
}
