// Declares what the service asks of the cache of finished pictures: a subset of the Cache API (Service Workers, 5.4).
// Every platform's Cache is one; host/ has another.

/** May forget anything at any time. Keys are URLs. */
export interface PageImageCache {
  match(key: string): Promise<Response | undefined>;
  put(key: string, response: Response): Promise<void>;
}
