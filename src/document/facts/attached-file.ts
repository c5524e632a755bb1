// Reads what a file specification states about an attached file (ISO 32000-1, 7.11.3 and 7.11.4).

import type { PdfFile } from "../objects/pdf-file.ts";
import { decodeTextString } from "../objects/text-strings.ts";
import type { Value } from "../objects/values.ts";
import { specifiedName } from "../pages/attached-files.ts";
import { nameText } from "./name-text.ts";

export interface AttachedFile {
  readonly name: string;
  readonly description: string;
  /** The declared media type; empty if there is none. */
  readonly type: string;
  /** The declared size in bytes; null if there is none. */
  readonly size: number | null;
}

export function attachedFile(file: PdfFile, value: Value): AttachedFile {
  const specification = file.dictionary(value);
  const text = (entry: Value | undefined) => {
    const string = file.string(entry);
    return string ? decodeTextString(string).toWellFormed() : "";
  };
  const embedded = file.dictionary(specification?.get("EF"));
  const data = file.dictionary(embedded?.get("UF") ?? embedded?.get("F"));
  return {
    name: specifiedName(file, value).toWellFormed(),
    description: text(specification?.get("Desc")),
    type: nameText(file.name(data?.get("Subtype")) ?? ""),
    size: file.number(file.dictionary(data?.get("Params"))?.get("Size")) ?? null,
  };
}
