// Tests jobs of several steps in the container: their files, notices and failures.
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { type ContainerJob, type ContainerStep, runSteps } from "../../../container/jobs/container-job.ts";
import { JobPool } from "../../../container/jobs/job-pool.ts";
import { fileInput } from "../../../container/scratch/file-input.ts";
import { EngineFailure, OutOfRange } from "../../../src/document/contract/failure.ts";
import type { Output } from "../../../src/document/contract/operation.ts";
import { decodeResponse, encodeResponse } from "../../../src/service/placement/remote.ts";
import { bytesOf, CONTEXT } from "../../support/operations.ts";

type Run = (job: ContainerJob) => AsyncIterable<Output>;

const step = (run: Run, params: unknown = {}): ContainerStep => ({
  operation: {
    pool: new JobPool({ atOnce: 1, waiting: 1, maxWaitMs: 1 }),
    timeoutMs: 1,
    run: (job) => encodeResponse(run(job)),
  },
  params,
});

/** Joins the inputs and the parameter, and can have a second output. */
const joining: Run = async function* ({ inputs, params }) {
  const texts = await Promise.all(inputs.map(({ bytes }) => bytes()));
  const about = { type: "application/pdf", headerPatch: () => Buffer.from("A") };
  const body = Buffer.concat([...texts, Buffer.from(String(params))]);
  yield { ...about, extension: "pdf", body, notices: () => [{ code: "xfa-removed", count: 1 }] };
  if (params === "two") yield { ...about, extension: "PDF/../..", body: Buffer.from("more"), name: "Other.DOCX" };
};

const listing: Run = async function* ({ inputs }) {
  for (const { name, path, bytes } of inputs) {
    const text = `${name} ${path.split("/").at(-1)} ${Buffer.from(await bytes())}`;
    yield { extension: "txt", type: "text/plain", body: Buffer.from(text) };
  }
};

const failing = (error: Error): Run =>
  async function* () {
    yield* await Promise.reject<Output[]>(error);
  };

async function runOn(...steps: ContainerStep[]) {
  const folder = await mkdtemp(join(tmpdir(), "steps-test-"));
  try {
    const inputs = [fileInput("report.html", 0, "/dev/null")];
    const job = { ...CONTEXT, inputs, folder, withoutPermit: <T>(work: () => Promise<T>) => work() };
    const made: [string, unknown][] = [];
    for await (const output of decodeResponse(runSteps(steps, job), CONTEXT)) {
      made.push([Buffer.from(await bytesOf(output)).toString(), output.notices?.()]);
    }
    return { made, files: await readdir(folder) };
  } finally {
    await rm(folder, { recursive: true });
  }
}

test("each step reads the files of the one before it; the first output has the notices of all", async () => {
  const { made, files } = await runOn(step(joining, "bc"), step(joining, "two"), step(listing));
  expect(made).toEqual([
    // cspell:ignore Actwo Aore
    ["report.pdf step-1-0.pdf Actwo", [{ code: "xfa-removed", count: 2 }]],
    ["Other.DOCX step-1-1.docx Aore", []],
  ]);
  expect(files).toEqual(["step-0-0.pdf", "step-1-0.pdf", "step-1-1.docx"]);
});

test("a job ends with the failure of any step", async () => {
  const why = "It needs a password.";
  const locked = step(failing(new EngineFailure("password-protected", "asked", { why })));
  for (const steps of [
    [locked, step(joining)],
    [step(joining), locked],
  ])
    await expect(runOn(...steps)).rejects.toMatchObject({ reason: "password-protected", why });
  const range = runOn(step(failing(new OutOfRange("pages", "9"))), step(joining));
  await expect(range).rejects.toMatchObject({ parameter: "pages", value: "9" });
});
