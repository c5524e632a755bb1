// Validates electronic invoices with Mustang. Starts a new process for each document, because few documents are
// invoices, and an idle process would keep its memory.

import { existsSync } from "node:fs";
import { chmod, chown, constants, copyFile, cp, mkdir } from "node:fs/promises";
import { join } from "node:path";
import * as z from "zod";
import { EngineFailure } from "../../../src/document/contract/failure.ts";
import { CONTAINER_LIMITS } from "../../limits.ts";
import { run } from "../../processes/process.ts";
import { retryCrashOnce } from "../../processes/retry.ts";
import { USERS, UserPool } from "../../processes/users.ts";
import type { Scratch } from "../../scratch/scratch.ts";
import { JAVA, JAVA_FILES, MEMORY_EXIT_CODE } from "../java.ts";

const findingSchema = z.object({
  part: z.enum(["pdf", "xml"]),
  severity: z.enum(["error", "warning", "notice"]),
  message: z.string(),
  rule: z.string().exactOptional(),
  location: z.string().exactOptional(),
});
const resultSchema = z.object({
  valid: z.boolean(),
  /** False if the PDF contains no invoice. */
  hasInvoice: z.boolean(),
  /** Identifier of the rules that the invoice follows (BT-24). */
  guideline: z.string().exactOptional(),
  syntax: z.enum(["CII", "UBL"]).exactOptional(),
  findings: z.array(findingSchema),
});
export type MustangResult = z.infer<typeof resultSchema>;

const DEFAULT_DIST = join(import.meta.dirname, "../../dist");
/** Exit code of Validate.java if the document is nested too deeply. */
const TOO_DEEP = 4;
const OUTPUT_BYTES = 8 * 2 ** 20;

export interface MustangSettings {
  readonly scratch: Scratch;
  /** Folder with the build output. @default container/dist */
  readonly dist?: string;
}

export class Mustang {
  readonly #scratch: Scratch;
  readonly #program: string;
  readonly #users = new UserPool(USERS.mustang);
  /** Folder of the jars that the processes' users can read. */
  #jars: Promise<string> | undefined;

  constructor({ scratch, dist = DEFAULT_DIST }: MustangSettings) {
    this.#scratch = scratch;
    this.#program = join(dist, "mustang");
  }

  /**
   * Validates an invoice.
   * @param path of the document, which is not changed
   * @throws EngineFailure `too-complex`, `too-large` (memory), `timed-out`, `crashed`, or `busy` (Mustang is not built)
   * @throws the signal's reason when aborted
   */
  async validate(path: string, type: "pdf" | "xml", signal: AbortSignal): Promise<MustangResult> {
    return retryCrashOnce({ timeoutMs: CONTAINER_LIMITS.mustangMs, signal }, (until, leftMs) =>
      this.#attempt(path, type, until, leftMs),
    );
  }

  async #attempt(path: string, type: "pdf" | "xml", signal: AbortSignal, timeoutMs: number): Promise<MustangResult> {
    this.#jars ??= this.#copyJars();
    const jars = await this.#jars;
    await using folder = await this.#scratch.folder("invoice");
    using user = this.#users.take();
    // Copies the file, because the process's user cannot access its original path.
    const input = join(folder.path, `invoice.${type}`);
    await copyFile(path, input, constants.COPYFILE_FICLONE);
    await chmod(input, 0o644);
    await chmod(folder.path, 0o711);
    const temporary = join(folder.path, "temporary");
    await mkdir(temporary, { mode: 0o700 });
    if (process.getuid?.() === 0) await chown(temporary, user.id, user.id);
    const options = [...JAVA_OPTIONS, `-Djava.io.tmpdir=${temporary}`, "-cp", join(jars, "*")];
    const { code, stdout, stderr } = await run(JAVA, [...options, "Validate", input, type], {
      cwd: temporary,
      limits: { timeoutMs },
      files: { readable: [...JAVA_FILES, jars, folder.path], writable: [temporary] },
      user: user.id,
      outputBytes: OUTPUT_BYTES,
      signal,
    });
    if (code === 0) return resultSchema.parse(JSON.parse(stdout.toString("utf8")));
    const detail = `exit code ${code}: ${stderr.slice(-300)}`;
    if (code === MEMORY_EXIT_CODE) throw new EngineFailure("too-large", detail);
    throw new EngineFailure(code === TOO_DEEP ? "too-complex" : "crashed", detail);
  }

  /** Copies the jars once, because the users might be unable to access the project's folder. */
  async #copyJars(): Promise<string> {
    if (!existsSync(join(this.#program, "pagewright-server.jar"))) {
      this.#jars = undefined;
      throw new EngineFailure("busy", `${this.#program} is not built`);
    }
    const folder = await this.#scratch.folder("mustang");
    await chmod(folder.path, 0o711);
    const jars = join(folder.path, "program");
    await cp(this.#program, jars, { recursive: true });
    return jars;
  }
}

const JAVA_OPTIONS = [
  `-Xmx${Math.ceil(CONTAINER_LIMITS.mustangHeapBytes / 2 ** 20)}m`,
  "-XX:MaxMetaspaceSize=256m",
  "-XX:+ExitOnOutOfMemoryError",
  // The process ends soon, so fast compilation matters more than optimized code.
  "-XX:TieredStopAtLevel=1",
  "-XX:+UseSerialGC",
  "-XX:-UsePerfData",
  // Forbids external entities and document types.
  "-Djavax.xml.accessExternalDTD=",
];
