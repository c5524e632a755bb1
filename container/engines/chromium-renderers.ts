// Which renderer works for which page, and which of them the system serves last. A page begins in a process made for it, and stays
// in it with its frames and workers, unless its server asks for a process apart (Cross-Origin-Opener-Policy). No process is used by
// two contexts. Knows no command of the browser's.

import { lowerProcess } from "../priority.ts";

/** The process of one page. Disposing of it forgets it. */
export interface Renderer extends Disposable {
  /** The page has been made: its process is there. */
  made(): void;
  /** From now on the system serves it last, also after the page has moved to another process. */
  lower(): void;
}

interface Home {
  /** Undefined until the page is made, and where more than one process began meanwhile. */
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

  /** To be called before a page is made. Pages are made one at a time. */
  expect(): Renderer {
    const before = new Set(this.#running());
    const home: Home = { pid: undefined, isLow: false };
    this.#homes.add(home);
    return {
      made: () => {
        const [pid, ...more] = this.#running().filter((candidate) => !before.has(candidate));
        if (more.length === 0) home.pid = pid;
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

export function killRenderer(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // It has ended already.
  }
}
