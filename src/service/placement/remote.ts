// Runs operations in the container: encodes the inputs, steps, outputs and failures that operation.ts defines as
// messages. Both ends use this file. It is independent of URLs, secrets and individual operations.
//
// A message is a sequence of frames. A frame is one byte for the kind, four bytes for the length (big-endian), and the
// payload.
//   request   json {steps: [{operation, params, begins?}], inputs: [{name, size, role?, step?}]}, then the bytes of the inputs in order
//   response  for each output: json {output: {extension, name?, suffix?, role?, type, total, headed}}, its bytes,
//             json {end: {head?: base64, notices?}};
//             then json {done: true}, or at any point {failure: {reason, detail, nonconformity?}} or {outOfRange:
//             {parameter, value, why}}; before, json {notices} on the next output, {stepsDone, stepsTotal} after a
//             step, {spans} if there is a `traceparent`

import { EngineFailure, type FailureReason, NO_ENGINE, OutOfRange } from "../../document/contract/failure.ts";
import { mergeNotices, type Notice, readNotices } from "../../document/contract/notice.ts";
import {
  type Beginning,
  type ContainerClient,
  type Context,
  factsOf,
  type Input,
  type InputFacts,
  type Output,
  type StepProgress,
  type Steps,
} from "../../document/contract/operation.ts";
import { readSpans, type Span } from "../../document/contract/trace.ts";
import { isProgress } from "../../operations/stages.ts";
import { withEarlier } from "../../operations/steps.ts";
import {
  bodyFrames,
  bytesFrames,
  concatFrames,
  decodeFrames,
  type Frame,
  gatheringBuffer,
  jsonFrame,
  jsonIn,
  MAX_BYTES_FRAME,
  onlyJsonOf,
  protocolError,
} from "./frames.ts";
import { failureEvent, type OutputTrailer, type ResponseEvent, throwFailure } from "./response-events.ts";

interface RequestHeader {
  /** Names of the operations, with their parameters. The outputs of a step are the inputs of the next one. */
  readonly steps: readonly { readonly operation: string; readonly params: unknown; readonly begins?: Beginning }[];
  readonly inputs: readonly InputFacts[];
}

/** A request, decoded by the container. */
export interface RemoteRequest extends RequestHeader {
  /**
   * Bytes of the inputs. Read the inputs in order, each to its end.
   * @throws EngineFailure `crashed` if the bytes end early
   */
  readonly bodies: AsyncIterable<AsyncIterable<Uint8Array>>;
}

/**
 * Runs the steps of a job in the container. If the reader stops, the container aborts the job. If the reader requests
 * the next output before the end of an output, the remaining bytes are skipped.
 * @throws EngineFailure, OutOfRange the error that the container reported; `lost` if the connection broke; `busy` if
 *   there is no container
 */
export async function* runRemotely(steps: Steps, inputs: readonly Input[], context: Context): AsyncIterable<Output> {
  const { container } = context;
  const lead = leadOf(steps);
  if (!container) throw new EngineFailure("busy", `no container for ${lead.name}`, { feature: NO_ENGINE });
  const abandoned = new AbortController();
  const signal = AbortSignal.any([context.signal, abandoned.signal]);
  let failure: unknown;
  try {
    const response = await container.post(lead, encodeRequest(inputs, steps), signal);
    yield* decodeResponse(response, {
      signal: context.signal,
      onSpans: (spans) => container.onSpans?.(spans),
      onStep: (progress) => context.onStep?.(progress),
    });
  } catch (error) {
    failure = error;
    throw error;
  } finally {
    abandoned.abort(new EngineFailure("crashed", "the response is no longer read"));
    container.onJobEnd?.(failure);
  }
}

/**
 * Returns the operation whose semaphore in the container the job uses: the first operation that only the container can
 * run, or else the first operation.
 */
function leadOf(steps: Steps): Parameters<ContainerClient["post"]>[0] {
  const { name } = (steps.find(({ operation }) => !operation.run) ?? steps[0]).operation;
  return { name, internet: steps.some(({ operation }) => operation.internet) };
}

async function* encodeRequest(inputs: readonly Input[], steps: Steps): AsyncGenerator<Uint8Array> {
  let header: Uint8Array | undefined = jsonFrame({
    steps: steps.map(({ operation, params, begins }) => ({
      ...{ operation: operation.name, params },
      ...(begins ? { begins } : {}),
    })),
    inputs: inputs.map(factsOf),
  } satisfies RequestHeader);
  for (const input of inputs) {
    for await (const chunk of input.stream()) {
      for (const frame of bytesFrames(chunk)) {
        // The header and the first bytes are one chunk, because both ends spend an event-loop turn on each chunk.
        yield header ? concatFrames(header, frame) : frame;
        header = undefined;
      }
    }
  }
  if (header) yield header;
}

/** @throws EngineFailure `crashed` if the message is invalid */
export async function decodeRequest(chunks: AsyncIterable<Uint8Array>): Promise<RemoteRequest> {
  const frames = decodeFrames(chunks);
  const first = await frames.next();
  if (first.done || !("json" in first.value)) throw protocolError("a request without a header");
  const header = first.value.json as RequestHeader;
  const { steps, inputs } = header;
  const areInputs = Array.isArray(inputs) && inputs.every(({ size }) => Number.isSafeInteger(size) && size >= 0);
  if (!areInputs || !Array.isArray(steps) || steps.length === 0) {
    throw protocolError("a request with an invalid header");
  }
  return { steps, inputs, bodies: splitBodies(inputs, frames) };
}

async function* splitBodies(
  inputs: RequestHeader["inputs"],
  frames: AsyncIterator<Frame>,
): AsyncGenerator<AsyncGenerator<Uint8Array>> {
  // A frame can contain the end of one input and the start of the next. The remaining bytes belong to the next input.
  let rest = new Uint8Array(0) as Uint8Array;
  async function* body(size: number): AsyncGenerator<Uint8Array> {
    for (let remaining = size; remaining > 0; ) {
      if (rest.length === 0) rest = await nextBytes(frames);
      const part = rest.subarray(0, remaining);
      rest = rest.subarray(part.length);
      remaining -= part.length;
      yield part;
    }
  }
  for (const { size } of inputs) yield body(size);
}

async function nextBytes(frames: AsyncIterator<Frame>): Promise<Uint8Array> {
  const { done, value } = await frames.next();
  if (done) throw protocolError("a truncated request");
  if (!("bytes" in value)) throw protocolError("a request with a second header");
  return value.bytes;
}

/**
 * Encodes the outputs of an operation, or of several stages. Each chunk consists of whole frames. Failures become frames: the generator never
 * throws.
 * @param failed receives each thrown value, for the log
 */
export async function* encodeResponse(
  outputs: Iterable<Output> | AsyncIterable<Output | StepProgress>,
  failed: (error: unknown) => void = () => {},
): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  let gathered: Uint8Array | undefined;
  try {
    for await (const output of outputs) {
      if (isProgress(output)) {
        yield jsonFrame(output satisfies ResponseEvent);
        continue;
      }
      const { extension, name, suffix, role, type, body, total = 1, headerPatch } = output;
      const about = {
        extension,
        type,
        total,
        headed: headerPatch !== undefined,
        ...(name === undefined ? {} : { name }),
        ...(suffix === undefined ? {} : { suffix }),
        ...(role === undefined ? {} : { role }),
      };
      const begin = jsonFrame({ output: about } satisfies ResponseEvent);
      const end = () => jsonFrame({ end: endOf(output) } satisfies ResponseEvent);
      if (body instanceof Uint8Array && body.length <= MAX_BYTES_FRAME) {
        yield concatFrames(begin, ...bytesFrames(body), end());
        continue;
      }
      yield begin;
      gathered ??= gatheringBuffer();
      yield* body instanceof Uint8Array ? bytesFrames(body) : bodyFrames(body, gathered);
      yield end();
    }
    yield doneFrame();
  } catch (error) {
    failed(error);
    yield encodeFailure(error);
  }
}

const doneFrame = () => jsonFrame({ done: true } satisfies ResponseEvent);

function endOf({ headerPatch, notices }: Output): OutputTrailer {
  const lost = mergeNotices(notices?.() ?? []);
  return { ...(headerPatch ? { head: toBase64(headerPatch()) } : {}), ...(lost.length > 0 ? { notices: lost } : {}) };
}

/** Encodes the failure that ends an incomplete response. An unexpected error becomes `crashed`. */
export function encodeFailure(error: unknown): Uint8Array<ArrayBuffer> {
  return jsonFrame(failureEvent(error));
}

/** Encodes the notices of earlier steps. The receiver adds them to the next output. */
export function encodeNotices(notices: readonly Notice[]): Uint8Array<ArrayBuffer> {
  return jsonFrame({ notices: mergeNotices(notices) } satisfies ResponseEvent);
}

/** Encodes the trace spans of the container. */
export function encodeSpans(spans: readonly Span[]): Uint8Array<ArrayBuffer> {
  return jsonFrame({ spans } satisfies ResponseEvent);
}

/**
 * Outcome of a job in the container: `answered`, `out-of-range` if a parameter was rejected, or the reason of its
 * failure.
 */
export type ResponseOutcome = "answered" | "out-of-range" | FailureReason;

/** Returns the outcome of the job if this chunk of frames ends the response; otherwise undefined. */
export function responseOutcome(frames: Uint8Array): ResponseOutcome | undefined {
  // The last frame of a response is always a separate chunk.
  const event = onlyJsonOf(frames) as ResponseEvent | undefined;
  if (event === undefined) return;
  if ("done" in event) return "answered";
  if ("outOfRange" in event) return "out-of-range";
  return "failure" in event ? event.failure.reason : undefined;
}

/**
 * @throws EngineFailure, OutOfRange the error in the response; `lost` if the response is truncated; `crashed` if it is
 *   invalid
 */
export async function* decodeResponse(
  chunks: AsyncIterable<Uint8Array>,
  { signal, onSpans, onStep }: Pick<Context, "signal" | "onStep"> & Pick<ContainerClient, "onSpans">,
): AsyncGenerator<Output> {
  const frames = decodeFrames(chunks);
  const earlier: Notice[] = [];
  const next = async (): Promise<Frame> => {
    for (;;) {
      const { done, value } = await brokenOffAs(frames.next(), signal);
      if (done) throw new EngineFailure("lost", "the container aborted the response");
      if (!("json" in value)) return value;
      const event = value.json as ResponseEvent;
      throwFailure(event);
      if ("notices" in event) earlier.push(...readNotices(event.notices));
      else if ("spans" in event) onSpans?.(readSpans(event.spans));
      else if (isProgress(event)) onStep?.(event);
      else return value;
    }
  };
  try {
    for (;;) {
      const frame = await next();
      if (!("json" in frame)) throw protocolError("bytes outside of an output");
      const event = frame.json as ResponseEvent;
      if ("done" in event) return;
      if (!("output" in event)) throw protocolError("a response frame out of order");
      const body = outputBody(next);
      const { headed = true, ...about } = event.output;
      const headerPatch = headed ? { headerPatch: body.head } : {};
      yield withEarlier(earlier, { ...about, body: body.chunks(), ...headerPatch, notices: body.notices });
      for await (const _ of body.chunks());
    }
  } finally {
    await frames.return(undefined).catch(() => {});
  }
}

/** An output as {@link encodeResponse} encodes it. */
export interface EncodedOutput {
  /** Number of outputs of the whole job. */
  readonly total: number;
  /** The frames of the output, in chunks. Read them before requesting the next output. */
  readonly chunks: AsyncIterable<Uint8Array>;
}

/**
 * Splits a response into its outputs, without copying bytes.
 * @param chunks exactly as {@link encodeResponse} yields them, because each must contain whole frames
 * @throws EngineFailure, OutOfRange the error in the response; `lost` if the response is truncated
 */
export async function* splitResponse(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<EncodedOutput> {
  const reading = chunks[Symbol.asyncIterator]();
  const next = async () => {
    const { done, value: chunk } = await reading.next();
    if (done) throw new EngineFailure("lost", "the response is truncated");
    const events = jsonIn(chunk) as ResponseEvent[];
    for (const event of events) throwFailure(event);
    return { chunk, events };
  };
  async function* from(first: Awaited<ReturnType<typeof next>>): AsyncGenerator<Uint8Array> {
    for (let read = first; ; read = await next()) {
      yield read.chunk;
      if (read.events.some((event) => "end" in event)) return;
    }
  }
  try {
    for (;;) {
      const first = await next();
      const [event] = first.events;
      if (event && "done" in event) return;
      if (!event || !("output" in event)) throw protocolError("a response frame out of order");
      yield { total: event.output.total ?? 1, chunks: from(first) };
    }
  } finally {
    await reading.return?.();
  }
}

/** Joins encoded outputs into a response. Failures become frames: the generator never throws. */
export async function* joinResponse(outputs: AsyncIterable<EncodedOutput>): AsyncGenerator<Uint8Array> {
  try {
    for await (const { chunks } of outputs) yield* chunks;
    yield doneFrame();
  } catch (error) {
    yield encodeFailure(error);
  }
}

/** Returns the bytes of an output. A second iteration continues where the first one stopped. */
function outputBody(next: () => Promise<Frame>) {
  let ended = false;
  let head = new Uint8Array(0);
  let notices: readonly Notice[] = [];
  return {
    head: () => head,
    notices: () => notices,
    async *chunks(): AsyncGenerator<Uint8Array> {
      while (!ended) {
        const frame = await next();
        if ("bytes" in frame) {
          yield frame.bytes;
          continue;
        }
        const event = frame.json as ResponseEvent;
        if (!("end" in event)) throw protocolError("a response frame out of order");
        if (event.end.head !== undefined) head = fromBase64(event.end.head);
        notices = readNotices(event.end.notices);
        ended = true;
      }
    },
  };
}

/** Rethrows a connection error as EngineFailure `lost`, unless this end has aborted the connection. */
async function brokenOffAs<T>(reading: Promise<T>, signal: AbortSignal): Promise<T> {
  try {
    return await reading;
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof EngineFailure || error instanceof OutOfRange) throw error;
    throw new EngineFailure("lost", `the container aborted the response: ${error}`, { cause: error });
  }
}

const toBase64 = (bytes: Uint8Array) => btoa(String.fromCharCode(...bytes));
const fromBase64 = (text: string) => Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
