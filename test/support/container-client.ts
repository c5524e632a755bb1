// Sends requests to a container as the Worker does, and reads the responses.

import { ReadableStream } from "node:stream/web";
import * as z from "zod";
import {
  type ContainerClient,
  type Context,
  declareOperation,
  type Input,
  stepOf,
} from "../../src/document/contract/operation.ts";
import { FRAME_VERSION, FRAME_VERSION_HEADER } from "../../src/service/placement/frame-version.ts";
import { runRemotely } from "../../src/service/placement/remote.ts";
import { rejectScratchPaths } from "./scratch-paths.ts";

export interface ContainerAddress {
  readonly url: string;
  readonly secret: string;
  /** ID of the client for whom requests are sent. @default none */
  readonly client?: string;
}

export interface Made {
  readonly extension: string;
  readonly type: string;
  readonly bytes: Buffer;
}

/** Sends a plain HTTP request, and returns the response. */
export function post(
  { url, secret, client = "" }: ContainerAddress,
  operation: string,
  body: AsyncIterable<Uint8Array>,
  signal?: AbortSignal,
) {
  return fetch(`${url}/${operation}`, {
    method: "POST",
    headers: { Authorization: `Bearer ${secret}`, "X-Client": client, [FRAME_VERSION_HEADER]: FRAME_VERSION },
    body: ReadableStream.from(body) as unknown as BodyInit,
    duplex: "half",
    ...(signal ? { signal } : {}),
  } as RequestInit);
}

function containerAt(address: ContainerAddress): ContainerClient {
  return {
    async post(operation, body, signal) {
      const response = await post(address, operation.name, body, signal);
      if (response.status !== 200) throw new Error(`the container answered ${response.status}`);
      return response.body!;
    },
  };
}

/** Returns a step that runs the operation with this name. */
export const stepNamed = (name: string, params: unknown = {}) =>
  stepOf(declareOperation({ name, params: z.unknown() }), params);

/**
 * Runs a job, and returns all its outputs.
 * @throws EngineFailure, OutOfRange
 */
export async function carryOut(
  address: ContainerAddress,
  operation: string,
  inputs: readonly Input[],
  params: unknown = {},
  signal = new AbortController().signal,
): Promise<Made[]> {
  const step = stepNamed(operation, params);
  const container = containerAt(address);
  const context: Context = { signal, container, heapLimitBytes: 0, defer: () => {}, log: () => {} };
  const made: Made[] = [];
  for await (const { extension, type, body, headerPatch } of runRemotely([step], inputs, context)) {
    const chunks: Uint8Array[] = [];
    for await (const chunk of body as AsyncIterable<Uint8Array>) chunks.push(chunk.slice());
    const bytes = Buffer.concat(chunks);
    bytes.set(headerPatch?.() ?? []);
    rejectScratchPaths(bytes);
    made.push({ extension, type, bytes });
  }
  return made;
}

/** Returns bytes in memory as an input. */
export function memoryInput(bytes: Uint8Array, name: string): Input {
  return {
    name,
    size: bytes.length,
    bytes: async () => bytes,
    async *stream() {
      for (let at = 0; at < bytes.length; at += 2 ** 16) yield bytes.subarray(at, at + 2 ** 16);
    },
  };
}
