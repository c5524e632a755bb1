// Keeps pages in which static documents of a client were printed, for the client's next ones (decision 83). A page ends
// after a number of documents, or a time.

import { CONTAINER_LIMITS } from "../../limits.ts";

interface Kept<P> {
  readonly client: string;
  readonly page: P;
  readonly timer: NodeJS.Timeout;
}

interface Use {
  readonly client: string;
  readonly since: number;
  documents: number;
}

export class SharedPages<P extends object> {
  readonly #most: number;
  readonly #end: (page: P) => void;
  /** Idle pages, the longest idle one first. */
  readonly #kept: Kept<P>[] = [];
  readonly #uses = new WeakMap<P, Use>();

  /**
   * @param most maximum number of idle pages
   * @param end called with each page that is not kept any longer
   */
  constructor(most: number, end: (page: P) => void) {
    this.#most = most;
    this.#end = end;
  }

  /** Takes an idle page of the client. */
  take(client: string): P | undefined {
    const kept = this.#kept.findLast((one) => one.client === client);
    return kept && this.remove(kept.page) ? kept.page : undefined;
  }

  /**
   * Keeps a page after a document of the client.
   * @returns false if the page has served for long enough, or another client: the caller ends it
   */
  keep(client: string, page: P): boolean {
    const now = performance.now();
    const use = this.#uses.get(page) ?? { client, since: now, documents: 0 };
    this.#uses.set(page, use);
    const leftMs = use.since + CONTAINER_LIMITS.sharedRendererMs - now;
    if (use.client !== client || ++use.documents >= CONTAINER_LIMITS.sharedRendererPages || leftMs <= 0) return false;
    const timer = setTimeout(() => this.#drop(page), leftMs);
    timer.unref();
    this.#kept.push({ client, page, timer });
    if (this.#kept.length > this.#most) this.#drop(this.#kept[0]!.page);
    return true;
  }

  /** @returns false if the page is not idle */
  remove(page: P): boolean {
    const index = this.#kept.findIndex((one) => one.page === page);
    if (index < 0) return false;
    clearTimeout(this.#kept[index]!.timer);
    this.#kept.splice(index, 1);
    return true;
  }

  #drop(page: P): void {
    if (this.remove(page)) this.#end(page);
  }
}
