// Connects to the operator's language model: a server with the API of OpenAI, or the platform's models. Redirects are not
// followed, and the log has nothing of the document or the answer.
import { EngineFailure } from "../../../document/contract/failure.ts";
import { LIMITS } from "../../../document/contract/limits.ts";
import type { Answer, LanguageModel, Question } from "../../../document/contract/operation.ts";
import { tokensIn } from "../../../document/language/tokens.ts";
import { delay } from "../../../runtime/delay.ts";
import { withTimeout } from "../../../runtime/rpc.ts";
import type { Env, ModelSettings } from "../../settings/config.ts";
import { type ReadAnswer, readAnswer, Unusable } from "./read-answer.ts";

interface Services {
  /** Receives the tokens of each answer: as the server counts them, or estimated. */
  used(tokens: number): void;
  log(message: string, details: Record<string, unknown>): void;
}

const ATTEMPTS = 3;
/** Doubled for each further attempt. */
const PAUSE_MS = 1000;
/** Statuses after which the same question can succeed. */
const TEMPORARY: ReadonlySet<number> = new Set([408, 425, 429, 500, 502, 503, 504, 520, 522, 524, 529]);

/** A failure after which the question is asked again. */
class Temporary extends Error {
  readonly pauseMs: number | undefined;
  constructor(message: string, pauseMs?: number) {
    super(message);
    this.pauseMs = pauseMs;
  }
}

/** @param settings undefined: the deployment has no language model */
export function connectModel(
  env: Pick<Env, "AI" | "LLM_API_KEY">,
  settings: ModelSettings | undefined,
  services: Services,
): LanguageModel | undefined {
  if (!settings) return undefined;
  const { contextTokens } = settings;
  return { contextTokens, ask: (question, signal) => ask(question, { settings, env, services }, signal) };
}

interface Connection {
  readonly settings: ModelSettings;
  readonly env: Pick<Env, "AI" | "LLM_API_KEY">;
  readonly services: Services;
}

/** @throws EngineFailure `model-failed`, `model-unavailable` */
async function ask(question: Question, connection: Connection, signal: AbortSignal): Promise<Answer> {
  const { log, used } = connection.services;
  for (let attempt = 1; ; attempt++) {
    const started = Date.now();
    try {
      const { text, isCut, tokens = tokensOf(question, text) } = await askOnce(question, connection, signal);
      used(tokens);
      log("language model answered", { attempt, tokens, durationMs: Date.now() - started });
      return { text, isCut };
    } catch (error) {
      signal.throwIfAborted();
      log("language model failed", { attempt, error: String(error), durationMs: Date.now() - started });
      if (error instanceof Unusable) throw new EngineFailure("model-failed", error.message, { cause: error });
      const pauseMs = (error instanceof Temporary && error.pauseMs) || PAUSE_MS * 2 ** (attempt - 1);
      if (attempt === ATTEMPTS || pauseMs > LIMITS.modelRetryMs) {
        throw new EngineFailure("model-unavailable", String(error), { cause: error });
      }
      await delay(pauseMs, signal);
    }
  }
}

const tokensOf = ({ instructions, message }: Question, answer: string): number =>
  tokensIn(instructions) + tokensIn(message) + tokensIn(answer);

/** @throws Unusable, or another Error if the question can be asked again */
async function askOnce(question: Question, connection: Connection, outer: AbortSignal): Promise<ReadAnswer> {
  const ended = new AbortController();
  const signal = AbortSignal.any([outer, ended.signal, AbortSignal.timeout(LIMITS.modelAnswerMs)]);
  try {
    const response = await withTimeout(LIMITS.modelSilentMs, () => send(question, connection, signal));
    const { ok, status, headers } = response;
    if (ok) return await readAnswer(response, question.answerTokens, signal);
    if (!TEMPORARY.has(status)) throw new Unusable(`status ${status}`);
    throw new Temporary(`status ${status}`, retryAfterMs(headers.get("Retry-After")));
  } finally {
    ended.abort();
  }
}

function send({ instructions, message, answerTokens }: Question, connection: Connection, signal: AbortSignal) {
  const { settings, env } = connection;
  const messages = [
    { role: "system", content: instructions },
    { role: "user", content: message },
  ];
  if (settings.url === undefined) {
    // By default, these models stop after 256 tokens.
    const inputs = { messages, stream: true, max_tokens: answerTokens };
    return env.AI!.run(settings.name, inputs, { returnRawResponse: true, signal });
  }
  return fetch(settings.url, {
    ...{ method: "POST", redirect: "manual", signal },
    headers: {
      ...{ "Content-Type": "application/json", Accept: "text/event-stream, application/json" },
      ...(env.LLM_API_KEY ? { Authorization: `Bearer ${env.LLM_API_KEY}` } : {}),
    },
    // Servers name the maximum length of an answer differently, so that the reader limits it.
    body: JSON.stringify({ model: settings.name, messages, stream: true, stream_options: { include_usage: true } }),
  });
}

/** Parses the header (RFC 9110, 10.2.3). */
function retryAfterMs(value: string | null): number | undefined {
  if (value === null) return undefined;
  const ms = /^\d+$/.test(value) ? 1000 * Number(value) : Date.parse(value) - Date.now();
  return ms > 0 ? ms : undefined;
}
