// Contract of the cache of page images: a subset of the Cache API (Service Workers, 5.4), so that the Cache of every
// platform is one.

/** Can evict anything at any time. Keys are URLs. */
export interface PageImageCache {
  match(key: string): Promise<Response | undefined>;
  put(key: string, response: Response): Promise<void>;
}
