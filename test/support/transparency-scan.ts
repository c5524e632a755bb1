// Finds transparency in a PDF, in qpdf's JSON of all objects. Shares no code with the tested implementation.
import { spawnSync } from "node:child_process";
import { type Json, PdfJson } from "./pdf-json.ts";
import { withFile } from "./pdf-readers.ts";

const OPAQUE_BLENDING = new Set(["/Normal", "/Compatible"]);

/**
 * @returns everything in any object that is transparent or marks a transparency group, even if no page uses the object
 */
export function transparencyIn(pdf: Uint8Array): string[] {
  const json = new PdfJson(pdf);
  const found: string[] = [];
  const look = (value: Json, where: string): void => {
    if (Array.isArray(value)) {
      for (const [index, element] of value.entries()) look(element, `${where}/${index}`);
    } else if (value !== null && typeof value === "object") {
      for (const [key, element] of Object.entries(value)) {
        const mark = markOf(json, key, element);
        if (mark !== undefined) found.push(`${where}${key} ${mark}`);
        look(element, `${where}${key}`);
      }
    }
  };
  for (const [key, object] of Object.entries(json.json.qpdf[1]) as [string, Json][]) {
    look(object.stream?.dict ?? object.value, key);
  }
  return found.concat(statesInContent(pdf));
}

function markOf(json: PdfJson, key: string, element: Json): string | undefined {
  const value = json.get(element);
  switch (key) {
    case "/ca":
    case "/CA":
      return typeof value === "number" && value !== 1 ? String(value) : undefined;
    case "/BM": {
      const modes = Array.isArray(value) ? value : [value];
      return modes.every((mode) => OPAQUE_BLENDING.has(json.get(mode))) ? undefined : modes.join();
    }
    case "/SMask":
      return value === "/None" || value === null ? undefined : "soft mask";
    case "/SMaskInData":
      return value > 0 ? String(value) : undefined;
    case "/Group":
      return json.get(value?.["/S"]) === "/Transparency" ? "group" : undefined;
  }
  return undefined;
}

/** Returns graphics states inside content streams. The format does not allow any, so every similar text is returned. */
function statesInContent(pdf: Uint8Array): string[] {
  const text = withFile(pdf, (path) => {
    const options = ["--qdf", "--object-streams=disable", "--no-warn", path, "-"];
    return spawnSync("qpdf", options, { maxBuffer: 2 ** 30 }).stdout.toString("latin1");
  });
  return [...text.matchAll(/\/(ca|CA) (0|0?\.\d+)\s/g)].map(([mark]) => `in the text of the file: ${mark}`);
}
