// Sums and times of many rounds, as one line.

import type { Round } from "./fault-round.ts";
import { spread, Tally } from "./statistics.ts";

/** Accumulates the results of many rounds. */
export class RoundFigures {
  readonly #recoveriesMs: number[] = [];
  readonly #complaints = new Tally();
  readonly #notes: string[] = [];
  readonly #sums: Record<string, number> = {};

  get isGood(): boolean {
    return this.#complaints.total === 0;
  }

  get text(): string {
    const { rounds, running, right, begunAnew, busy, excused } = this.#sums;
    if (rounds === undefined) return "no such process in this service";
    return [
      `${rounds} rounds`,
      `${running} running jobs: ${right} right, ${excused} hit twice or with the service, ${begunAnew} begun anew`,
      `${busy} new jobs told to come again`,
      `at work again: ${spread(this.#recoveriesMs)}`,
      ...(this.isGood ? [] : [`not as required: ${this.#complaints.text()}`]),
      ...this.#notes,
    ].join("; ");
  }

  round({ recoveryMs, complaints, ...counts }: Round): void {
    addTo(this.#sums, { rounds: 1, ...counts });
    if (recoveryMs !== undefined) this.#recoveriesMs.push(recoveryMs);
    // Replaces process IDs and ports, so that equal complaints are counted together.
    for (const complaint of complaints) this.#complaints.add(complaint.replaceAll(/\b\d{4,}\b(?! ms)/g, "N"));
  }

  note(text: string): void {
    this.#notes.push(text);
  }

  add(other: RoundFigures): void {
    addTo(this.#sums, other.#sums);
    this.#recoveriesMs.push(...other.#recoveriesMs);
    for (const [complaint, count] of other.#complaints.entries) this.#complaints.add(complaint, count);
  }
}

function addTo(sums: Record<string, number>, counts: Readonly<Record<string, number>>): void {
  for (const [name, count] of Object.entries(counts)) sums[name] = (sums[name] ?? 0) + count;
}
