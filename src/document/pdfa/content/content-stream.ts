// Describes one content stream of a document with its resources.

import type { Dictionary } from "../../objects/values.ts";

export interface ContentStream {
  readonly bytes: Uint8Array;
  readonly resources: Dictionary;
  /** Resources of the page or form around it, for names that its own resources lack. */
  readonly inherited: Dictionary | undefined;
  /** Object number; undefined for a page. */
  readonly number: number | undefined;
}
