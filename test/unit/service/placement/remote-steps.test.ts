// Tests the transfer of a job's steps to the container, and of notices back.
import { expect, test } from "vitest";
import * as z from "zod";
import { type Context, declareOperation, stepOf } from "../../../../src/document/contract/operation.ts";
import { decodeRequest, encodeNotices, encodeResponse, runRemotely } from "../../../../src/service/placement/remote.ts";
import { CONTEXT, inputOf } from "../../../support/operations.ts";

test("all steps are one request, to the first operation that only the container has", async () => {
  const asked: unknown[] = [];
  const named = (name: string, more = {}) => ({ ...declareOperation({ name, params: z.unknown() }), ...more });
  const here: Context = {
    ...CONTEXT,
    container: {
      async post(operation, body) {
        const { steps, inputs } = await decodeRequest(body);
        asked.push(operation, steps, inputs);
        return stream(encodeResponse(outputs));
      },
    },
  };
  const signatures = (count: number) => ({ code: "signatures-removed", count }) as const;
  const about = { extension: "a", type: "text/plain", body: new Uint8Array(0) };
  const outputs = [1, 2].map((count) => ({ ...about, notices: () => [signatures(count)] }));
  const steps = [
    stepOf(named("both", { run: never }), { level: "low" }),
    stepOf(named("engine", { internet: true }), 1),
    stepOf(named("other"), null),
  ] as const;
  const notices = [];
  for await (const output of runRemotely(steps, [inputOf(new Uint8Array(1), "a")], here)) {
    for await (const _ of output.body as AsyncIterable<Uint8Array>);
    notices.push(output.notices?.());
  }
  expect(asked).toEqual([
    { name: "engine", internet: true },
    [
      { operation: "both", params: { level: "low" } },
      { operation: "engine", params: 1 },
      { operation: "other", params: null },
    ],
    [{ name: "a", size: 1 }],
  ]);
  expect(notices).toEqual([[{ code: "xfa-removed", count: 1 }, signatures(1)], [signatures(2)]]);
});

async function* stream(outputs: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  yield encodeNotices([{ code: "xfa-removed", count: 1 }]);
  yield* outputs;
}

function never(): AsyncIterable<never> {
  throw new Error("the code of another process");
}
