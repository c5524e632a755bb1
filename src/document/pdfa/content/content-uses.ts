// The device spaces and resources that content streams use, for later passes.
import type { Dictionary } from "../../objects/values.ts";
import type { DeviceSpace } from "../colors/profiles.ts";

export interface ContentUses {
  /** Device spaces that operators and inline images name. */
  readonly deviceSpaces: ReadonlySet<DeviceSpace>;
  /** The resources of all content streams, each once. */
  readonly resources: ReadonlySet<Dictionary>;
}
