// Keeps the responses of web pages that were requested to learn their type, for the jobs that show them, so that a
// server is asked only once.

import { randomUUID } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import type { PageVisit } from "../../../src/document/contract/parameters/web-page.ts";
import type { KeptPage } from "../chromium/visit/kept-response.ts";

/** Maximum size of a page, and of all pages together. The browser requests other pages itself. */
const PAGE_BYTES = 16 * 2 ** 20;
const ALL_BYTES = 64 * 2 ** 20;
/** Time limit for a body, which might never end. */
const BODY_MS = 10_000;
/** Time in which a job must begin. */
const KEPT_MS = 120_000;

/** What a server learns of the visitor. */
const identityOf = ({ cookies = [], headers = {}, userAgent, device = "desktop" }: PageVisit) => ({
  ...{ cookies, headers },
  ...{ visitor: userAgent ?? device },
});

export class KeptPages {
  readonly #pages = new Map<string, { readonly page: KeptPage; readonly visit: PageVisit }>();
  #bytes = 0;

  /**
   * Reads a page to its end.
   * @returns its name; undefined if the page was not kept because of its size, its time or a broken connection
   */
  async keep(
    { responses, body }: Omit<KeptPage, "body"> & { readonly body: AsyncIterable<Uint8Array> },
    visit: PageVisit,
  ): Promise<string | undefined> {
    const chunks: Uint8Array[] = [];
    let size = 0;
    let isKept = false;
    const until = performance.now() + BODY_MS;
    try {
      for await (const chunk of body) {
        size += chunk.length;
        this.#bytes += chunk.length;
        if (size > PAGE_BYTES || this.#bytes > ALL_BYTES || performance.now() > until) return undefined;
        chunks.push(chunk);
      }
      isKept = true;
    } catch {
      // The browser reports the fault, unless the page can be loaded when it asks.
      return undefined;
    } finally {
      if (!isKept) this.#bytes -= size;
    }
    const name = randomUUID();
    this.#pages.set(name, { page: { responses, body: Buffer.concat(chunks) }, visit });
    setTimeout(() => this.#remove(name), KEPT_MS).unref();
    return name;
  }

  /** Returns a page that was requested by an equal visitor, once. */
  take(name: string, visit: PageVisit): KeptPage | undefined {
    const kept = this.#remove(name);
    return kept && isDeepStrictEqual(identityOf(kept.visit), identityOf(visit)) ? kept.page : undefined;
  }

  #remove(name: string) {
    const kept = this.#pages.get(name);
    if (kept && this.#pages.delete(name)) this.#bytes -= kept.page.body.length;
    return kept;
  }
}
