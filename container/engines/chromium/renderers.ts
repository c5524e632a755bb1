// Finds each page's renderer process, and lowers the priority of slow pages. A page starts in a new process, with its
// frames and workers. It moves to another process only if its server requires one (Cross-Origin-Opener-Policy). Two
// contexts never share a process.

import { lowerProcess } from "../../processes/priority.ts";
import type { Session } from "./pipe.ts";

/** The process of one page, registered until disposed. */
export interface Renderer extends Disposable {
  /** Finds the process of a page that is still blank. @throws ProtocolError */
  find(page: Session): Promise<void>;
  /** Lowers the priority from now on, even if the page later moves to another process. */
  lower(): void;
}

interface Home {
  /** Process in which the page was created. Undefined until it is found. */
  pid: number | undefined;
  isLow: boolean;
}

export class Renderers {
  readonly #running: () => readonly number[];
  readonly #homes = new Set<Home>();

  /** @param running returns the pids of all current renderers */
  constructor(running: () => readonly number[]) {
    this.#running = running;
  }

  /**
   * Registers a page. Must be called before the page is created: otherwise, its process could be attributed to another
   * page.
   */
  expect(): Renderer {
    const home: Home = { pid: undefined, isLow: false };
    this.#homes.add(home);
    return {
      find: async (page) => {
        home.pid = await processOf(page);
      },
      lower: () => {
        home.isLow = true;
        this.lower();
      },
      [Symbol.dispose]: () => this.#homes.delete(home),
    };
  }

  /** Lowers the priority of slow pages that have moved to another process. Must be called repeatedly. */
  lower(): void {
    const homes = [...this.#homes];
    if (!homes.some(({ isLow }) => isLow)) return;
    const running = this.#running();
    const moved = homes.filter(({ pid }) => pid === undefined || !running.includes(pid));
    for (const { pid, isLow } of homes) if (isLow && pid !== undefined && running.includes(pid)) lowerProcess(pid);
    // After a move, it is unknown which page a process belongs to. Priorities stay unchanged while one of the moved
    // pages is fast.
    if (moved.length === 0 || moved.some(({ isLow }) => !isLow)) return;
    const known = new Set(homes.map(({ pid }) => pid));
    for (const pid of running) if (!known.has(pid)) lowerProcess(pid);
  }
}

/**
 * Returns the ID of a page's process. The browser does not report process IDs, but the IDs of searches within a page
 * start with its process ID.
 */
async function processOf(page: Session): Promise<number> {
  void page.send("DOM.enable");
  const found = page.send("DOM.performSearch", { query: "html" });
  void page.send("DOM.disable");
  return Number.parseInt((await found).searchId, 10);
}

export function killRenderer(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // The process has exited already.
  }
}
