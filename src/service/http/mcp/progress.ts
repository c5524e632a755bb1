// Sends progress notifications of a tool call if the agent requests them (notifications/progress). Also sends them for
// jobs without countable pages, because agents time out if they receive no notification.
import type { ServerContext } from "@modelcontextprotocol/server";
import type { Progress } from "../../ports/jobs.ts";

/** The request of a tool call, as the SDK passes it to the handler. */
export type Caller = Pick<ServerContext["mcpReq"], "_meta" | "notify">;

/** Minimum time between two notifications, and maximum time without one. */
const PAUSE_MS = 500;
const BEAT_MS = 10_000;

export class CallProgress implements Disposable {
  readonly #caller: Caller;
  readonly #timer: ReturnType<typeof setInterval> | undefined;
  readonly #startedAt = Date.now();
  #done = 0;
  #total: number | undefined;
  #toldAt = 0;
  #hasSteps = false;
  /** Number of notifications since the last completed page or step. */
  #beats = 0;

  constructor(caller: Caller) {
    this.#caller = caller;
    if (this.isWanted) this.#timer = setInterval(() => this.#beat(), BEAT_MS);
  }

  get isWanted(): boolean {
    return this.#caller._meta?.progressToken !== undefined;
  }

  /** Reports pages, or steps of the request if there are several. */
  readonly tell = ({ pagesDone, pagesTotal, stepsDone, stepsTotal }: Progress): void => {
    if (stepsDone === undefined && this.#hasSteps) return;
    this.#hasSteps = stepsDone !== undefined;
    this.#done = stepsDone ?? pagesDone ?? 0;
    this.#total = stepsTotal ?? pagesTotal;
    this.#beats = 0;
    const unit = this.#hasSteps ? "steps" : "pages";
    if (Date.now() - this.#toldAt >= PAUSE_MS) this.#send(`${this.#done} of ${this.#total} ${unit}`);
  };

  [Symbol.dispose](): void {
    clearInterval(this.#timer);
  }

  #beat(): void {
    if (Date.now() - this.#toldAt < BEAT_MS / 2) return;
    this.#beats++;
    this.#send(`at work for ${Math.round((Date.now() - this.#startedAt) / 1000)} s`);
  }

  #send(message: string): void {
    const progressToken = this.#caller._meta?.progressToken;
    if (progressToken === undefined) return;
    this.#toldAt = Date.now();
    // Progress must increase with each notification. The fraction keeps it below the next page number.
    const progress = this.#done + this.#beats / (this.#beats + 1);
    const total = this.#total === undefined ? {} : { total: this.#total };
    const params = { progressToken, progress, ...total, message };
    // Fails if the agent has disconnected, which does not affect the call.
    this.#caller.notify({ method: "notifications/progress", params }).catch(() => {});
  }
}
