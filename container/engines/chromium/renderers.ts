// Maps pages to their renderer processes, and lowers the priority of slow pages. A page starts in a new process and
// stays in it with its frames and workers, unless its server requires a separate process (Cross-Origin-Opener-Policy).
// Two contexts never share a process.

import { lowerProcess } from "../../processes/priority.ts";
import type { Session } from "./pipe.ts";

/** The process of one page, registered until disposed. */
export interface Renderer extends Disposable {
  /** Finds the process of a page that is still blank. @throws ProtocolError */
  find(page: Session): Promise<void>;
  /** Lowers the priority from now on, even if the page moves to another process. */
  lower(): void;
}

interface Home {
  /** Process in which the page was made; undefined until it is found. */
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

  /** Registers a page. Call it before creating the page, so that its process is not attributed to another page. */
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

  /** Lowers the priority of slow pages that have moved. Call it repeatedly, because pages move. */
  lower(): void {
    const homes = [...this.#homes];
    if (!homes.some(({ isLow }) => isLow)) return;
    const running = this.#running();
    const moved = homes.filter(({ pid }) => pid === undefined || !running.includes(pid));
    for (const { pid, isLow } of homes) if (isLow && pid !== undefined && running.includes(pid)) lowerProcess(pid);
    // After a move, the mapping from processes to pages is unknown. Priorities stay unchanged as long as a quick page
    // could be affected.
    if (moved.length === 0 || moved.some(({ isLow }) => !isLow)) return;
    const known = new Set(homes.map(({ pid }) => pid));
    for (const pid of running) if (!known.has(pid)) lowerProcess(pid);
  }
}

/**
 * Returns the pid of a page's process. The browser does not report it, but object IDs within the page start with it.
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
    // The process has ended already.
  }
}
