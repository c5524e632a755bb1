// Contract of the cache of page images: a subset of the Cache API (Service Workers, 5.4), which the platform's Cache
// implements, and a limit.

/** An entry can be evicted at any time. Keys are URLs. */
export interface PageImageCache {
  /** Maximum size of an image. @default `LIMITS.cachedPictureBytes` */
  readonly limitBytes?: number;
  match(key: string): Promise<Response | undefined>;
  put(key: string, response: Response): Promise<void>;
}
