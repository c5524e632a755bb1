// Replaces the profiles of output intents (ISO 32000-1, 14.11.5), which define the remaining device colors.
import type { PdfFile } from "../objects/pdf-file.ts";
import { Dictionary, PdfString } from "../objects/values.ts";
import type { Target } from "./target.ts";

const ABOUT_THE_FORMER = ["RegistryName", "OutputCondition", "DestOutputProfileRef", "MixingHints", "SpectralData"];

/** Changes nothing if there are no output intents, or the target has no profile. */
export function replaceIntents(file: PdfFile, { space, profile }: Target): void {
  const intents = file.array(file.catalog.get("OutputIntents"));
  const stream = file.array(space)?.[1];
  if (!intents || !profile || stream === undefined) return;
  const custom = PdfString.ofLatin1("Custom");
  const replaced = intents.map((intent) => {
    const own = file.dictionary(intent)?.clone() ?? new Dictionary();
    for (const key of ABOUT_THE_FORMER) own.delete(key);
    return file.add(own.set("OutputConditionIdentifier", custom).set("Info", custom).set("DestOutputProfile", stream));
  });
  file.catalog = file.catalog.clone().set("OutputIntents", replaced);
}
