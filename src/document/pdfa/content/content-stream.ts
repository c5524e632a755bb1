// A content stream of a document, with its resources.

import type { Dictionary } from "../../objects/values.ts";

export interface ContentStream {
  readonly bytes: Uint8Array;
  readonly resources: Dictionary;
  /** Resources of the enclosing page or form. They define names that the stream's own resources lack. */
  readonly inherited: Dictionary | undefined;
  /** Object number; undefined for page content. */
  readonly number: number | undefined;
}
