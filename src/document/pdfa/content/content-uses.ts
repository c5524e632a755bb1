// Lists the parts of a file that its content streams use and other passes need.
import type { Dictionary } from "../../objects/values.ts";
import type { DeviceSpace } from "../colors/profiles.ts";

export interface ContentUses {
  /** Device spaces that operators and inline images name. */
  readonly deviceSpaces: ReadonlySet<DeviceSpace>;
  /** The resources of all content streams, each once. */
  readonly resources: ReadonlySet<Dictionary>;
}
