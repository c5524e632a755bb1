// Marks shapes and images that no tag describes as artifacts (ISO 14289-1, 7.1): programs that tag their PDFs leave
// backgrounds and borders without marks. Text without marks stays as it is, because readers would lose it.
import { readOperations } from "../content/content.ts";
import { applyEdits, type Edit } from "../content/edits.ts";
import { PATH_CONSTRUCTION, PATH_PAINTING } from "../content/operators.ts";
import { Name } from "../objects/values.ts";

/**
 * @param isImage reports whether a name of the resources stands for an image
 * @returns undefined if nothing changes
 */
export function markArtifacts(content: Uint8Array, isImage: (name: string) => boolean): Uint8Array | undefined {
  const edits: Edit[] = [];
  const mark = (start: number, end: number) =>
    edits.push({ start, end: start, text: "/Artifact BMC\n" }, { start: end, end, text: "\nEMC" });
  let depth = 0;
  let pathStart: number | undefined;
  for (const { operator, operands, start, end } of readOperations(content)) {
    const [name] = operands;
    if (operator === "BMC" || operator === "BDC") depth++;
    else if (operator === "EMC") depth = Math.max(0, depth - 1);
    else if (PATH_CONSTRUCTION.has(operator)) pathStart ??= start;
    else if (PATH_PAINTING.has(operator) || operator === "n") {
      if (depth === 0 && operator !== "n") mark(pathStart ?? start, end);
      pathStart = undefined;
    } else if (depth === 0) {
      const isPicture = operator === "Do" && name instanceof Name && isImage(name.text);
      if (isPicture || operator === "sh" || operator === "BI") mark(start, end);
    }
  }
  return edits.length === 0 ? undefined : applyEdits(content, edits, content.length);
}
