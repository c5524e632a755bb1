// Reads the answer of a language model: server-sent events of the API of OpenAI or of the platform's models, or one object
// in JSON, of a server that does not stream.

import { LIMITS } from "../../../document/contract/limits.ts";
import type { Answer } from "../../../document/contract/operation.ts";
import { tokensIn } from "../../../document/language/tokens.ts";
import { withTimeout } from "../../../runtime/rpc.ts";

/** An answer of which another attempt would not be better. */
export class Unusable extends Error {}

export interface ReadAnswer extends Answer {
  /** Tokens of question and answer. @default the server does not count them */
  readonly tokens?: number;
}

/** A message of the server: a part of an answer or, in a body that is not streamed, all of it. */
interface Message {
  readonly choices?:
    | readonly {
        readonly delta?: { readonly content?: unknown };
        readonly message?: { readonly content?: unknown };
        readonly finish_reason?: unknown;
      }[]
    | null;
  readonly usage?: { readonly total_tokens?: unknown } | null;
  /** Text of the platform's older models. */
  readonly response?: unknown;
  readonly error?: unknown;
}

/** Longest line of a stream, and longest body that is not streamed, in characters. */
const MAX_LENGTH = 2 ** 22;
/** An answer can be this much longer than asked for, because its tokens are estimated. */
const TOLERANCE = 1.5;

/** @throws Unusable; Error if the connection broke or was silent, or the server reports an error of its own */
export async function readAnswer(response: Response, answerTokens: number, signal: AbortSignal): Promise<ReadAnswer> {
  const isStream = response.headers.get("Content-Type")?.includes("event-stream") ?? false;
  const answer = new PartialAnswer(answerTokens);
  for await (const line of linesOf(response, { signal, isWhole: !isStream })) {
    const data = isStream ? /^data: ?(.*)$/.exec(line)?.[1] : line;
    if (data === undefined || data === "") continue;
    if (data === "[DONE]") answer.isComplete = true;
    else answer.add(parsed(data));
    if (answer.isTooLong) break;
    answer.isComplete ||= !isStream;
  }
  return answer.finished();
}

class PartialAnswer {
  isComplete = false;
  readonly #mostTokens: number;
  readonly #texts: string[] = [];
  #tokensRead = 0;
  #isCut = false;
  #tokens: number | undefined;

  constructor(answerTokens: number) {
    this.#mostTokens = TOLERANCE * answerTokens;
  }

  get isTooLong(): boolean {
    return this.#tokensRead > this.#mostTokens;
  }

  /** @throws Unusable, Error */
  add({ choices, usage, response, error }: Message): void {
    // Its text can quote the document.
    if (error !== undefined && error !== null) throw new Error("the server reports an error");
    const [choice] = choices ?? [];
    const text = choice?.delta?.content ?? choice?.message?.content ?? response ?? "";
    if (typeof text !== "string") throw new Unusable("the answer is not text");
    this.#texts.push(text);
    this.#tokensRead += tokensIn(text);
    if (choice?.finish_reason === "content_filter") throw new Unusable("a filter of the model rejected the text");
    if (choice?.finish_reason === "length") this.#isCut = true;
    if (choice?.finish_reason) this.isComplete = true;
    const tokens = usage?.total_tokens;
    if (typeof tokens === "number" && Number.isSafeInteger(tokens) && tokens >= 0) this.#tokens = tokens;
  }

  /** @throws Error if the connection broke */
  finished(): ReadAnswer {
    if (!this.isComplete && !this.isTooLong) throw new Error("the answer is incomplete");
    return {
      ...{ text: this.#texts.join(""), isCut: this.#isCut || this.isTooLong },
      ...(this.#tokens === undefined ? {} : { tokens: this.#tokens }),
    };
  }
}

/** @throws Unusable */
function parsed(json: string): Message {
  try {
    const value: unknown = JSON.parse(json);
    if (typeof value === "object" && value !== null && !Array.isArray(value)) return value;
  } catch {
    // The error would quote the answer.
  }
  throw new Unusable("the answer is malformed");
}

/** Yields the lines of a body, or the whole body. @throws Unusable, Error */
async function* linesOf(
  { body }: Response,
  { signal, isWhole }: { readonly signal: AbortSignal; readonly isWhole: boolean },
): AsyncGenerator<string> {
  const reader = body?.getReader();
  if (!reader) throw new Unusable("the answer is empty");
  const decoder = new TextDecoder();
  let text = "";
  try {
    for (;;) {
      const { done, value } = await withTimeout(LIMITS.modelSilentMs, () => reader.read());
      signal.throwIfAborted();
      text += decoder.decode(value, { stream: !done });
      if (text.length > MAX_LENGTH) throw new Unusable("the answer is too long");
      const lines = isWhole ? [] : text.split(/\r?\n/);
      text = lines.pop() ?? text;
      yield* lines;
      if (done) break;
    }
    yield text;
  } finally {
    await reader.cancel().catch(() => {});
  }
}
