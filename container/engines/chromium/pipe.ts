// A Chrome DevTools Protocol client that uses a browser's two pipes. Sends commands, and receives responses and events.

import type { Readable, Writable } from "node:stream";
import type { ProtocolMapping } from "devtools-protocol/types/protocol-mapping.js";

type Commands = ProtocolMapping.Commands;
export type Method = keyof Commands;
export type Result<M extends Method> = Commands[M]["returnType"];
type Events = ProtocolMapping.Events;

/** The browser rejected a command, or has exited. */
export class ProtocolError extends Error {
  override readonly name = "ProtocolError";
}

interface Pending {
  readonly method: Method;
  readonly session: Session;
  readonly resolve: (result: never) => void;
  readonly reject: (error: ProtocolError) => void;
}

interface Message {
  readonly id?: number;
  readonly method?: string;
  readonly params?: unknown;
  readonly sessionId?: string;
  readonly result?: unknown;
  readonly error?: { readonly message: string };
}

/** A protocol session with the browser or with one of its pages. */
export interface Session {
  /** @throws ProtocolError */
  send<M extends Method>(method: M, ...params: Commands[M]["paramsType"]): Promise<Result<M>>;
  on<E extends keyof Events>(event: E, listener: (...params: Events[E]) => void): void;
}

const END = 0;

export class Pipe {
  readonly #out: Writable;
  readonly #pending = new Map<number, Pending>();
  readonly #sessions = new Map<string, Conversation>();
  #lastId = 0;
  #parts: Buffer[] = [];
  #closeError: ProtocolError | undefined;
  /** Session with the browser itself. */
  readonly browser: Session;

  /** @param broken called when the browser sends an invalid message; no further responses follow */
  constructor(out: Writable, incoming: Readable, broken: () => void) {
    this.#out = out;
    this.browser = this.session("");
    // Ignored, because the process's exit is reported anyway.
    out.on("error", () => {});
    incoming.on("error", () => {});
    incoming.on("data", (chunk: Buffer) => {
      if (this.#closeError) return;
      try {
        this.#read(chunk);
      } catch (error) {
        this.close(`it speaks no protocol: ${error}`);
        broken();
      }
    });
    incoming.on("close", () => this.close("the browser closed its pipe"));
  }

  /** Opens a session. @param id returned by Target.attachToTarget */
  session(id: string): Session {
    const conversation = new Conversation((session, method, params) => this.#send(session, id, method, params));
    this.#sessions.set(id, conversation);
    return conversation;
  }

  /** Replaces a session by a new one with the same ID, and without the listeners of the old one. */
  reopen(session: Session, reason: string): Session {
    const [id] = [...this.#sessions].find(([, conversation]) => conversation === session)!;
    this.forget(session, reason);
    return this.session(id);
  }

  /** Closes a session: rejects its pending commands, and ignores its further events. */
  forget(session: Session, reason: string): void {
    for (const [id, conversation] of this.#sessions) if (conversation === session) this.#sessions.delete(id);
    for (const [id, pending] of this.#pending) {
      if (pending.session !== session) continue;
      this.#pending.delete(id);
      pending.reject(new ProtocolError(`${pending.method}: ${reason}`));
    }
  }

  /** Rejects all pending and future commands. */
  close(reason: string): void {
    this.#closeError ??= new ProtocolError(reason);
    for (const { reject } of this.#pending.values()) reject(this.#closeError);
    this.#pending.clear();
  }

  #send(session: Session, sessionId: string, method: Method, params: unknown): Promise<never> {
    if (this.#closeError) return Promise.reject(this.#closeError);
    const id = ++this.#lastId;
    const message = { id, method, params, ...(sessionId === "" ? {} : { sessionId }) };
    return new Promise((resolve, reject) => {
      this.#pending.set(id, { method, session, resolve, reject });
      this.#out.write(`${JSON.stringify(message)}\0`);
    });
  }

  #read(chunk: Buffer): void {
    let from = 0;
    for (let end = chunk.indexOf(END); end >= 0; end = chunk.indexOf(END, from)) {
      this.#parts.push(chunk.subarray(from, end));
      const text = Buffer.concat(this.#parts).toString();
      this.#parts = [];
      from = end + 1;
      this.#take(JSON.parse(text) as Message);
    }
    if (from < chunk.length) this.#parts.push(chunk.subarray(from));
  }

  #take({ id, method, params, sessionId = "", result, error }: Message): void {
    if (id === undefined) {
      if (method) this.#sessions.get(sessionId)?.tell(method, params);
      return;
    }
    const pending = this.#pending.get(id);
    if (!pending) return;
    this.#pending.delete(id);
    if (error) pending.reject(new ProtocolError(`${pending.method}: ${error.message}`));
    else pending.resolve(result as never);
  }
}

class Conversation implements Session {
  readonly #listeners = new Map<string, ((params: never) => void)[]>();
  readonly #send: (session: Session, method: Method, params: unknown) => Promise<never>;

  constructor(send: (session: Session, method: Method, params: unknown) => Promise<never>) {
    this.#send = send;
  }

  send<M extends Method>(method: M, ...[params = {}]: Commands[M]["paramsType"]): Promise<Result<M>> {
    const response = this.#send(this, method, params);
    // Prevents an unhandled rejection if the caller does not await the response.
    response.catch(() => {});
    return response;
  }

  on<E extends keyof Events>(event: E, listener: (...params: Events[E]) => void): void {
    const listeners = this.#listeners.get(event) ?? [];
    listeners.push(listener as unknown as (params: never) => void);
    this.#listeners.set(event, listeners);
  }

  tell(event: string, params: unknown): void {
    for (const listener of this.#listeners.get(event) ?? []) listener(params as never);
  }
}
