// Caches in each location of the platform, for a limited time, that a file of another region exists.

import { LIMITS } from "../../../document/contract/limits.ts";
import type { PageImageCache } from "../../ports/page-image-cache.ts";
import type { FoundFile } from "../file.ts";

export interface LocationOptions {
  /** The cache of the location. @default nothing is cached */
  readonly cache: PageImageCache | undefined;
  readonly now?: () => number;
  /** Keeps work running after the response. */
  waitUntil(work: Promise<unknown>): void;
}

/** Origin of the URLs that are cache keys. The host does not exist. */
const ORIGIN = "https://files.invalid";
const urlOf = (id: string) => `${ORIGIN}/${id}`;

interface Entry {
  /** Time before the file's region was asked, in milliseconds since 1970. */
  readonly asked: number;
  /** Missing if the file no longer existed. */
  readonly file?: FoundFile;
}

export class KnownFiles {
  readonly #location: LocationOptions;
  readonly #now: () => number;

  constructor(location: LocationOptions) {
    this.#location = location;
    this.#now = location.now ?? Date.now;
  }

  /**
   * Returns the file of an ID. Asks the file's region if the location has not done so within `LIMITS.knownFileMs`, and
   * in the background if it has not done so within `LIMITS.freshFileMs`.
   * @param ask looks the file up in its region
   * @returns undefined if there is no such file, or it has expired
   */
  async find(id: string, ask: () => Promise<FoundFile | undefined>): Promise<FoundFile | undefined> {
    const { asked, file } = (await this.#read(id)) ?? { asked: Number.NEGATIVE_INFINITY };
    const age = this.#now() - asked;
    if (!file || age >= LIMITS.knownFileMs) return this.#ask(id, ask, file !== undefined);
    if (age >= LIMITS.freshFileMs) this.#location.waitUntil(this.#ask(id, ask, true).catch(() => {}));
    return file.expires && file.expires.getTime() <= this.#now() ? undefined : file;
  }

  /** Reports whether the location knows that a file exists. */
  async knows(id: string): Promise<boolean> {
    const { asked, file } = (await this.#read(id)) ?? {};
    return file !== undefined && this.#now() - asked! < LIMITS.knownFileMs;
  }

  async #ask(id: string, ask: () => Promise<FoundFile | undefined>, isKnown: boolean): Promise<FoundFile | undefined> {
    const asked = this.#now();
    const file = await ask();
    if (file || isKnown) this.#location.waitUntil(this.#write(id, { asked, ...(file ? { file } : {}) }));
    return file;
  }

  async #read(id: string): Promise<Entry | undefined> {
    const response = await this.#location.cache?.match(urlOf(id));
    if (!response) return undefined;
    const { asked, file } = (await response.json()) as Entry;
    if (!file) return { asked };
    const expires = file.expires ? { expires: new Date(file.expires) } : {};
    return { asked, file: { ...file, ...expires, modified: new Date(file.modified) } };
  }

  async #write(id: string, entry: Entry): Promise<void> {
    const headers = { "Cache-Control": `public, max-age=${LIMITS.knownFileMs / 1000}` };
    await this.#location.cache?.put(urlOf(id), Response.json(entry, { headers }));
  }
}
