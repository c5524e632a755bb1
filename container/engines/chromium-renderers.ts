// Which renderer works for which page, and which of them the system serves last. A page begins in a process made for it, and stays
// in it with its frames and workers, unless its server asks for a process apart (Cross-Origin-Opener-Policy). No process is used by
// two contexts.

import { lowerProcess } from "../priority.ts";
import type { Session } from "./chromium-pipe.ts";

/** The process of one page. Disposing of it forgets it. */
export interface Renderer extends Disposable {
  /** Finds the process of a page that is still blank. @throws ProtocolError */
  find(page: Session): Promise<void>;
  /** From now on the system serves it last, also after the page has moved to another process. */
  lower(): void;
}

interface Home {
  /** The one that it was made in; undefined until that is found. */
  pid: number | undefined;
  isLow: boolean;
}

export class Renderers {
  readonly #running: () => readonly number[];
  readonly #homes = new Set<Home>();

  /** @param running pids of all renderers at present */
  constructor(running: () => readonly number[]) {
    this.#running = running;
  }

  /** To be called before a page is made: nobody else's process is taken for its own then. */
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

  /** To be called again and again: pages move. */
  lower(): void {
    const homes = [...this.#homes];
    if (!homes.some(({ isLow }) => isLow)) return;
    const running = this.#running();
    const moved = homes.filter(({ pid }) => pid === undefined || !running.includes(pid));
    for (const { pid, isLow } of homes) if (isLow && pid !== undefined && running.includes(pid)) lowerProcess(pid);
    // Nobody tells which of them is whose: a quick page keeps its priority even if a slow one does so too.
    if (moved.length === 0 || moved.some(({ isLow }) => !isLow)) return;
    const known = new Set(homes.map(({ pid }) => pid));
    for (const pid of running) if (!known.has(pid)) lowerProcess(pid);
  }
}

/** The browser does not tell which process a page is in, but what a page numbers begins with its process. */
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
    // It has ended already.
  }
}
