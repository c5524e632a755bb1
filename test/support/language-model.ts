// A server with the API of OpenAI for chats, whose answers the test chooses.

import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** A question that arrived, with its number from 1. */
export interface Asked {
  readonly number: number;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: { readonly model: string; readonly stream: boolean };
  readonly instructions: string;
  readonly message: string;
  /** The part of the document in the message. */
  readonly part: string;
  /** The text before the part, if there is any. */
  readonly before: string | undefined;
}

export interface Scripted {
  /** The text, which is sent in several events. @default none */
  readonly text?: string;
  readonly finish?: string;
  readonly tokens?: number;
  /** @default stream */
  readonly form?: "stream" | "json" | "broken" | "silent";
  /** Sent instead of an answer. */
  readonly raw?: { readonly status?: number; readonly headers?: Record<string, string>; readonly body?: string };
}

export interface ModelServer extends AsyncDisposable {
  /** Base URL, as LLM_URL has it. */
  readonly url: string;
  /** All questions so far. */
  readonly asked: readonly Asked[];
  /** Chooses the answers from now on, and forgets earlier questions. */
  answer(script: (asked: Asked) => Scripted): void;
}

export async function startModelServer(script: (asked: Asked) => Scripted = () => ({})): Promise<ModelServer> {
  const asked: Asked[] = [];
  let answering = script;
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = JSON.parse(Buffer.concat(chunks).toString()) as Asked["body"] & {
      readonly messages: readonly [{ readonly content: string }, { readonly content: string }];
    };
    const [{ content: instructions }, { content: message }] = body.messages;
    const inTags = (name: string) => new RegExp(`<(${name}-\\w+)>\n([^]*)\n</\\1>`).exec(message)?.[2];
    const one: Asked = {
      ...{ number: asked.length + 1, path: request.url!, headers: request.headers, body, instructions, message },
      ...{ part: inTags("document") ?? "", before: inTags("before") },
    };
    asked.push(one);
    send(response, answering(one));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    asked,
    answer(next) {
      asked.length = 0;
      answering = next;
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

const EVENT_STREAM = { "Content-Type": "text/event-stream; charset=utf-8" };

function send(response: ServerResponse, { text = "", finish = "stop", tokens, form = "stream", raw }: Scripted): void {
  const usage = tokens === undefined ? {} : { usage: { total_tokens: tokens } };
  if (raw) {
    response.writeHead(raw.status ?? 200, raw.headers ?? EVENT_STREAM).end(raw.body ?? "");
    return;
  }
  if (form === "json") {
    const choices = [{ message: { role: "assistant", content: text }, finish_reason: finish }];
    response.writeHead(200, { "Content-Type": "application/json" }).end(JSON.stringify({ choices, ...usage }));
    return;
  }
  const event = (data: object) => response.write(`data: ${JSON.stringify(data)}\r\n\r\n`);
  response.writeHead(200, EVENT_STREAM).write(": comment\n\n");
  event({ choices: [{ delta: { role: "assistant", content: "" }, finish_reason: null }] });
  for (const content of text.match(/[\s\S]{1,7}/gu) ?? [])
    event({ choices: [{ delta: { content }, finish_reason: null }] });
  if (form === "silent") return;
  if (form === "broken") {
    response.destroy();
    return;
  }
  event({ choices: [{ delta: {}, finish_reason: finish }] });
  event({ choices: [], ...usage });
  response.end("data: [DONE]\n\n");
}
