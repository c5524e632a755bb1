// Assigns the unprivileged users that engines run as, if this process is root. A user can signal its own processes and
// read its own files. So documents that are open at the same time have different users, and engines never share a user.

import { EngineFailure } from "../../src/document/contract/failure.ts";

/** Consecutive user IDs. Each is also used as a group ID. */
export interface UserRange {
  readonly first: number;
  readonly count: number;
}

/**
 * First user ID. It is far above the IDs that adduser(8) assigns to people, and below the IDs from 60,000 that Debian
 * and systemd allocate. It also exists in a container whose user namespace has 65,536 IDs.
 */
const FIRST = 54_000;
/** Number of users per range. Enough for the quick and slow jobs on 128 processors (jobs/slow-lane.ts). */
const PLACES = 660;

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
  mustang: range(7),
  poppler: range(8),
  // The rest of Chromium's range.
  tesseract: { first: FIRST + 6 * PLACES + 1, count: PLACES - 1 },
} as const satisfies Record<string, UserRange>;

/**
 * Returns the first user of a range that needs one user for each process.
 * @throws EngineFailure `busy` if the range has too few users
 */
export function firstUserOf({ first, count }: UserRange, processes: number): number {
  if (processes > count) throw new EngineFailure("busy", `${processes} processes, but only ${count} users`);
  return first;
}

/** A user for one process. Disposal returns the user to the pool. */
export interface LeasedUser extends Disposable {
  readonly id: number;
}

/** Assigns the users of a range, each to one process at a time. */
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
