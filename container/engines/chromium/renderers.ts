// Tracks which renderer works for which page, and lowers the priority of slow pages' renderers. A page begins in a
// process made for it, and stays in it with its frames and workers, unless its server asks for a separate process
// (Cross-Origin-Opener-Policy). No process is used by two contexts.

import { lowerProcess } from "../../processes/priority.ts";
import type { Session } from "./pipe.ts";

/** The process of one page. Disposing of it forgets it. */
export interface Renderer extends Disposable {
  /** Finds the process of a page that is still blank. @throws ProtocolError */
  find(page: Session): Promise<void>;
  /** Lowers the priority of the process from now on, also after the page has moved to another process. */
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

  /** Registers a page. Call it before the page is made, so that its process is not attributed to another page. */
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
    // It is unknown which process belongs to which page. Slow pages keep their priority as long as a quick page might
    // be affected.
    if (moved.length === 0 || moved.some(({ isLow }) => !isLow)) return;
    const known = new Set(homes.map(({ pid }) => pid));
    for (const pid of running) if (!known.has(pid)) lowerProcess(pid);
  }
}

/**
 * Returns the pid of a page's process. The browser does not report it, but the IDs that a page assigns begin with it.
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
