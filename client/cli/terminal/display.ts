// Shows the progress of running jobs on a terminal, one line per job. Without a terminal, shows nothing.
import type { Progress } from "../../core/progress.ts";

export interface Output {
  readonly isTTY?: boolean;
  readonly columns?: number;
  readonly rows?: number;
  write(text: string): unknown;
}

const REDRAW_MS = 100;
const BAR_WIDTH = 20;

/** The progress lines of running jobs. They are the last lines on the terminal, below all other output. */
export class Display {
  readonly #to: Output;
  readonly #isLive: boolean;
  readonly #running = new Map<string, Progress | undefined>();
  readonly #timer: NodeJS.Timeout | undefined;
  #drawn = 0;
  #done = 0;
  readonly #total: number;

  /** @param total number of jobs */
  constructor(to: Output, total: number, isQuiet: boolean) {
    this.#to = to;
    this.#total = total;
    this.#isLive = to.isTTY === true && !isQuiet;
    if (this.#isLive) this.#timer = setInterval(() => this.#draw(), REDRAW_MS);
  }

  update(name: string, progress?: Progress): void {
    this.#running.set(name, progress);
  }

  finish(name: string): void {
    this.#running.delete(name);
    this.#done++;
  }

  /** Removes the progress lines, and prints other output. */
  aside(write: () => void): void {
    this.#clear();
    write();
  }

  close(): void {
    clearInterval(this.#timer);
    this.#clear();
  }

  #draw(): void {
    this.#clear();
    const { columns = 80, rows = 24 } = this.#to;
    const lines = [...this.#running].map(([name, progress]) => lineOf(name, progress, columns - 1));
    // Limits the number of lines, because lines that have scrolled off the screen cannot be cleared.
    lines.length = Math.min(lines.length, Math.max(1, rows - 3));
    if (this.#total > 1) lines.push(`${this.#done} of ${this.#total} done`);
    // Disables line wrapping, so that a line with wide characters never occupies two rows.
    this.#to.write(`${ESCAPE}[?7l${lines.map((line) => `${line}\n`).join("")}${ESCAPE}[?7h`);
    this.#drawn = lines.length;
  }

  #clear(): void {
    // Moves to the first column, because the terminal might have echoed characters that the user typed.
    if (this.#drawn > 0) this.#to.write(`\r${ESCAPE}[${this.#drawn}A${ESCAPE}[J`);
    this.#drawn = 0;
  }
}

const ESCAPE = "\u001b";

/** Replaces control characters, which could move the cursor. */
export const printable = (text: string): string => text.replace(/\p{Cc}/gu, "\ufffd");

/** Returns a progress line: name and progress of a document, shortened to the width of the terminal. */
function lineOf(given: string, progress: Progress | undefined, width: number): string {
  const name = printable(given);
  const state = stateOf(progress);
  const room = Math.max(8, width - state.length - 2);
  const shown = name.length > room ? `…${name.slice(name.length - room + 1)}` : name;
  return `${shown}  ${state}`.slice(0, width);
}

function stateOf(progress: Progress | undefined): string {
  switch (progress?.phase) {
    case undefined:
      return "starting";
    case "uploading":
      return `${bar(progress.sentBytes, progress.totalBytes)} uploading ${mb(progress.sentBytes)}`;
    case "waiting":
      return progress.position === undefined ? "waiting" : `waiting, number ${progress.position}`;
    case "running": {
      const { pagesDone, pagesTotal, stepsDone, stepsTotal } = progress;
      if (stepsDone !== undefined && stepsTotal) {
        return `${bar(stepsDone, stepsTotal)} step ${Math.min(stepsDone + 1, stepsTotal)} of ${stepsTotal}`;
      }
      if (pagesDone === undefined || !pagesTotal) return "converting";
      return `${bar(pagesDone, pagesTotal)} page ${pagesDone} of ${pagesTotal}`;
    }
    case "downloading":
      return `${bar(progress.receivedBytes, progress.totalBytes)} downloading ${mb(progress.receivedBytes)}`;
  }
}

function bar(done: number, total: number | undefined): string {
  if (!total) return "";
  const filled = Math.round((Math.min(done, total) / total) * BAR_WIDTH);
  return `[${"#".repeat(filled)}${"-".repeat(BAR_WIDTH - filled)}]`;
}

const mb = (bytes: number) => `${(bytes / 1e6).toFixed(1)} MB`;
