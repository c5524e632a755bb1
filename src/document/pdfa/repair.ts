// Runs the passes that make a file conform to PDF/A, in order. Each pass repairs violations of its own clauses
// (CLAUSES.md), independently of the other passes.

import { defaultVisibility } from "../content/optional-content.ts";
import { namedNotices } from "../contract/notice.ts";
import type { PdfFile } from "../objects/pdf-file.ts";
import { Dictionary } from "../objects/values.ts";
import { hasRgbIntent, repairColors } from "./colors/colors.ts";
import { Profiles } from "./colors/profiles.ts";
import { repairSamples } from "./colors/samples.ts";
import { repairSpotColors } from "./colors/spot-colors.ts";
import { ContentRepairer } from "./content/content.ts";
import type { ContentWork } from "./content/content-count.ts";
import { readContentStreams } from "./content/content-streams.ts";
import { repairGraphicsStates } from "./content/graphics-states.ts";
import { removeGroups } from "./content/groups.ts";
import { removeLayers, repairLayers } from "./content/layers.ts";
import { repairStreams } from "./content/streams.ts";
import { recodedText } from "./content/text/recoded-text.ts";
import { repairXObjects } from "./content/xobjects.ts";
import { repairActions } from "./document/actions.ts";
import { removeColors, repairAnnotations } from "./document/annotations.ts";
import { repairAttachments } from "./document/attachments.ts";
import { repairCatalog } from "./document/catalog.ts";
import { repairLimits } from "./document/limits.ts";
import { repairNames } from "./document/names.ts";
import { scalePages } from "./document/page-scale.ts";
import { repairFonts } from "./fonts/repair-fonts.ts";
import { reportLosses } from "./loss-notices.ts";
import { writeMetadata } from "./metadata/metadata.ts";
import { PdfaDocument, type Task } from "./pdfa-document.ts";

/**
 * Repairs the file in place. The file then conforms to the level, unless it has violations that no pass can repair.
 * @returns the estimated cost of validating the content of the file
 */
export async function repairFile(file: PdfFile, task: Task): Promise<ContentWork> {
  const document = await PdfaDocument.open(file, task);
  const isFirstPart = document.level.part === 1;
  if (scalePages(document)) await document.survey();
  reportLosses(document);
  repairCatalog(document);
  repairStreams(document);
  repairLimits(document);
  repairActions(document);
  await repairAttachments(document);
  repairGraphicsStates(document);
  repairXObjects(document);
  await repairSamples(document);
  repairSpotColors(document);
  repairNames(document);
  const visibility = isFirstPart && file.catalog.has("OCProperties") ? defaultVisibility(file) : undefined;
  if (visibility) removeLayers(document, visibility);
  else repairLayers(document);
  if (isFirstPart) removeGroups(document);
  await repairAnnotations(document);
  // Finds the dictionaries again, because earlier passes added and removed some.
  await document.survey();
  nameFonts(document);
  const content = new ContentRepairer(document, visibility);
  await readContentStreams(document, content.repair, content.count.call);
  const work = content.count.work();
  const { substituted, newCodes } = await repairFonts(file, task.level, task.failures, task.fonts, task.signal);
  if (newCodes.size > 0)
    await readContentStreams(
      document,
      (stream) => recodedText(file, stream, newCodes),
      () => {},
    );
  document.report(...namedNotices("fonts-substituted", substituted));
  repairColors(document, content, new Profiles(document));
  if (isFirstPart && !hasRgbIntent(document)) removeColors(document);
  writeMetadata(document);
  return work;
}

/** Makes direct font objects in resources indirect, because fonts are repaired by reference. */
function nameFonts({ file, places }: PdfaDocument): void {
  for (const { dictionary, key } of places) {
    if (key !== "Font") continue;
    for (const [name, value] of dictionary) {
      const isFont = value instanceof Dictionary && file.name(value.get("Type")) === "Font";
      if (isFont) dictionary.set(name, file.add(value));
    }
  }
}
