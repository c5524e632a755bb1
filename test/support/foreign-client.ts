// Sends forms like clients of Gotenberg, outside of `fetch`, whose responses are compared with our own API description.

import { once } from "node:events";
import { type IncomingMessage, request } from "node:http";

export interface Answer {
  readonly status: number;
  readonly headers: IncomingMessage["headers"];
  readonly body: Buffer;
  readonly text: string;
}

/** Fields and files, in their order. */
export type Parts = readonly (readonly [string, string | File])[];

/** Sends a form with POST; without parts, a GET. */
export async function sendForm(url: string, parts: Parts, headers: Readonly<Record<string, string>>): Promise<Answer> {
  const form = new FormData();
  for (const [name, value] of parts) form.append(name, value as string);
  const encoded = new Response(form);
  const body = Buffer.from(await encoded.arrayBuffer());
  const type = encoded.headers.get("Content-Type")!;
  const isGet = parts.length === 0;
  const sent = request(url, { method: isGet ? "GET" : "POST", headers: { "Content-Type": type, ...headers } });
  sent.end(isGet ? undefined : body);
  const [response] = (await once(sent, "response")) as [IncomingMessage];
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(chunk as Buffer);
  const all = Buffer.concat(chunks);
  return { status: response.statusCode!, headers: response.headers, body: all, text: all.toString() };
}
