// Assigns the unprivileged users that engines run as, if this process is root. Documents that are open at the same time
// have different users, and engines never share a user, because a user can signal its own processes and read its own
// files.

import { EngineFailure } from "../../src/document/contract/failure.ts";

/** Consecutive user IDs, each of which is a group ID too. */
export interface UserRange {
  readonly first: number;
  readonly count: number;
}

/**
 * Far above the IDs that adduser(8) gives to people, below those from 60,000 on that Debian and systemd allocate, and
 * within a user namespace of 65,536 IDs, which a container might have.
 */
const FIRST = 54_000;
/** Enough for the quick and slow jobs on 128 processors (jobs/slow-lane.ts). */
const PLACES = 700;

const range = (index: number, count = PLACES): UserRange => ({ first: FIRST + index * PLACES, count });

/** Ranges of users, one for each kind of engine process. */
export const USERS = {
  libreOfficeZygote: range(0),
  soffice: range(1),
  ghostscriptZygote: range(2),
  plainGhostscript: range(3),
  pdfRewriter: range(4),
  veraPdf: range(5),
  chromium: range(6, 1),
} as const satisfies Record<string, UserRange>;

/**
 * Returns the first user of a range that needs one user for each process.
 * @throws EngineFailure `busy` if they would need users of another range
 */
export function firstUserOf({ first, count }: UserRange, processes: number): number {
  if (processes > count) throw new EngineFailure("busy", `${processes} processes, but only ${count} users`);
  return first;
}

/** A user of a single process. Disposal returns it to the pool. */
export interface LeasedUser extends Disposable {
  readonly id: number;
}

/** Assigns each user of a range to one process at a time. */
export class UserPool {
  readonly #range: UserRange;
  readonly #taken = new Set<number>();

  constructor(range: UserRange) {
    this.#range = range;
  }

  /** @throws EngineFailure `busy` if all users are in use */
  take(): LeasedUser {
    const { first, count } = this.#range;
    let id = first;
    while (this.#taken.has(id)) id++;
    if (id >= first + count) throw new EngineFailure("busy", `all ${count} users are in use`);
    this.#taken.add(id);
    return { id, [Symbol.dispose]: () => void this.#taken.delete(id) };
  }
}
