// What the content streams of a file use, as far as other passes need it.
import type { Dictionary } from "../../objects/values.ts";
import type { DeviceSpace } from "../colors/profiles.ts";

export interface ContentUses {
  /** Device spaces that operators and inline images name. */
  readonly deviceSpaces: ReadonlySet<DeviceSpace>;
  /** Of all content streams, each once. */
  readonly resources: ReadonlySet<Dictionary>;
}
