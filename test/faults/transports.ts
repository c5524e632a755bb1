// Carriers of jobs: frames that are sent to the container, and multipart requests that are sent to the whole service.

import { EngineFailure, OutOfRange } from "../../src/document/contract/failure.ts";
import { toServiceError } from "../../src/service/http/contract/errors.ts";
import { type ContainerAddress, carryOut, memoryInput } from "../support/container-client.ts";
import type { Answer, Carrier, Sample } from "./sample.ts";

const NOTHING = { outputs: [], ids: [], retryAfter: false } as const;

/** Sends jobs to the container. Maps its failures to the statuses with which the Worker responds. */
export function frames(address: ContainerAddress): Carrier {
  return {
    async send({ operation, params, files, name }, timeoutMs) {
      if (operation === undefined) throw new Error(`${name} is nothing for the container.`);
      const inputs = files.map((file) => memoryInput(file.bytes, file.name));
      return withinTime(timeoutMs, async (signal) => {
        const made = await carryOut(address, operation, inputs, params, signal);
        return { ...NOTHING, status: 200, detail: "", outputs: made.map(({ bytes }) => bytes) };
      });
    },
  };
}

/** Sends jobs to the whole service. @param key sent as Api-Key */
export function http(url: string, key?: string): Carrier {
  const headers = { Accept: "application/json", ...(key === undefined ? {} : { "Api-Key": key }) };
  return {
    send: (sample, timeoutMs) =>
      withinTime(timeoutMs, async (signal) => {
        const response = await fetch(url + sample.path, { method: "POST", body: formOf(sample), headers, signal });
        const body = (await response.json()) as Readonly<Record<string, string | readonly string[]>>;
        const told = { status: response.status, detail: String(body.error ?? "") };
        if (response.status !== 200) return { ...NOTHING, ...told, retryAfter: response.headers.has("Retry-After") };
        const ids = [body.outputId ?? [], body.inputId ?? []].flat();
        const outputs: Uint8Array[] = [];
        for (const outputUrl of [body.outputUrl ?? []].flat()) {
          const stored = await fetch(outputUrl, { signal });
          if (stored.status !== 200) return { ...NOTHING, ids, status: stored.status, detail: `GET ${outputUrl}` };
          outputs.push(await stored.bytes());
        }
        return { ...NOTHING, ...told, outputs, ids };
      }),
  };
}

/** Returns the body of a request. */
export function formOf({ fields, files }: Sample): FormData {
  const form = new FormData();
  for (const [name, given] of Object.entries(fields)) {
    for (const value of [given].flat()) form.append(name, value as string);
  }
  for (const { name, bytes, field = "file" } of files) form.append(field, new File([Buffer.from(bytes)], name));
  return form;
}

async function withinTime(timeoutMs: number, send: (signal: AbortSignal) => Promise<Answer>): Promise<Answer> {
  const late = AbortSignal.timeout(timeoutMs);
  try {
    return await send(late);
  } catch (error) {
    if (late.aborted) return { ...NOTHING, status: 0, detail: `no answer within ${timeoutMs} ms` };
    if (!(error instanceof EngineFailure) && !(error instanceof OutOfRange)) {
      const { cause } = error as { cause?: unknown };
      return { ...NOTHING, status: 0, detail: `no connection: ${error}${cause === undefined ? "" : ` (${cause})`}` };
    }
    const { status, headers } = toServiceError(error);
    const detail = error.message.slice(0, 120);
    return { ...NOTHING, status, detail, retryAfter: "Retry-After" in headers };
  }
}
