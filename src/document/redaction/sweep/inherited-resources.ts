// Finds the resources of content that is not a stream with resources of its own.
import type { PdfFile } from "../../objects/pdf-file.ts";
import type { Dictionary, Value } from "../../objects/values.ts";

const MAX_PARENTS = 64;

/** Returns the resources of a page, which its ancestors can have instead, or of a Type 3 font. */
export function inheritedResources(file: PdfFile, owner: Dictionary): Value | undefined {
  let at: Dictionary | undefined = owner;
  for (let level = 0; at && level < MAX_PARENTS; level++) {
    const resources = at.get("Resources");
    if (resources !== undefined) return resources;
    at = file.dictionary(at.get("Parent"));
  }
  return undefined;
}
