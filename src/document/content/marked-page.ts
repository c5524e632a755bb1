// Puts marked content around the contents of a page, for an engine that counts what follows marked content as part of it.
import { contains } from "../contract/contains.ts";
import { Name } from "../objects/values.ts";
import { readOperations } from "./content.ts";
import { applyEdits, type Edit } from "./edits.ts";

/**
 * Returns page contents inside of marked content, in which artifacts are marked with an identifier, too
 * (ISO 32000-1, 14.8.2.2).
 * @param id identifier of all content that no other identifier has
 */
export function markedPage(contents: Uint8Array, id: number): Uint8Array {
  const edits: Edit[] = [{ start: 0, end: 0, text: `/P<</MCID ${id}>>BDC\n` }];
  if (contains(contents, "/Artifact")) {
    for (const { operator, operands, start, end } of readOperations(contents)) {
      const [type] = operands;
      if ((operator !== "BMC" && operator !== "BDC") || !(type instanceof Name) || type.text !== "Artifact") continue;
      edits.push({ start, end, text: `/Artifact<</MCID ${id}>>BDC` });
    }
  }
  return applyEdits(contents, edits, contents.length, "\nEMC\n");
}
