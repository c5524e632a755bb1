// Runs the passes that make a file conform to PDF/A, in order. Each pass repairs violations of its own clauses
// (CLAUSES.md), independently of the others.

import { defaultVisibility } from "../content/optional-content.ts";
import { namedNotices } from "../contract/notice.ts";
import type { PdfFile } from "../objects/pdf-file.ts";
import { Dictionary } from "../objects/values.ts";
import { hasRgbIntent, settleColors } from "./colors/colors.ts";
import { Profiles } from "./colors/profiles.ts";
import { mendSamples } from "./colors/samples.ts";
import { mendSpotColors } from "./colors/spot-colors.ts";
import { ContentRepairer } from "./content/content.ts";
import type { ContentWork } from "./content/content-count.ts";
import { readContentStreams } from "./content/content-streams.ts";
import { mendGraphicsStates } from "./content/graphics-states.ts";
import { removeGroups } from "./content/groups.ts";
import { mendLayers, removeLayers } from "./content/layers.ts";
import { mendStreams } from "./content/streams.ts";
import { recodedText } from "./content/text/recoded-text.ts";
import { mendXObjects } from "./content/xobjects.ts";
import { mendActions } from "./document/actions.ts";
import { mendAnnotations, removeColors } from "./document/annotations.ts";
import { mendAttachments } from "./document/attachments.ts";
import { mendCatalog } from "./document/catalog.ts";
import { mendLimits } from "./document/limits.ts";
import { mendNames } from "./document/names.ts";
import { scalePages } from "./document/page-scale.ts";
import { repairFonts } from "./fonts/repair-fonts.ts";
import { reportLosses } from "./loss-notices.ts";
import { writeMetadata } from "./metadata/metadata.ts";
import { PdfaDocument, type Task } from "./pdfa-document.ts";

/**
 * Repairs the file in place, so that it conforms to a level if such repairs suffice.
 * @returns a validator's estimated cost for the content of the file
 */
export async function repairFile(file: PdfFile, task: Task): Promise<ContentWork> {
  const archive = await PdfaDocument.open(file, task);
  const isFirstPart = archive.level.part === 1;
  if (scalePages(archive)) await archive.survey();
  reportLosses(archive);
  mendCatalog(archive);
  mendStreams(archive);
  mendLimits(archive);
  mendActions(archive);
  await mendAttachments(archive);
  mendGraphicsStates(archive);
  mendXObjects(archive);
  await mendSamples(archive);
  mendSpotColors(archive);
  mendNames(archive);
  const visibility = isFirstPart && file.catalog.has("OCProperties") ? defaultVisibility(file) : undefined;
  if (visibility) removeLayers(archive, visibility);
  else mendLayers(archive);
  if (isFirstPart) removeGroups(archive);
  await mendAnnotations(archive);
  // Includes what earlier passes added or removed.
  await archive.survey();
  nameFonts(archive);
  const content = new ContentRepairer(archive, visibility);
  await readContentStreams(archive, content.mend, content.count.call);
  const work = content.count.work();
  const { substituted, newCodes } = await repairFonts(file, task.level, task.failures, task.shelf, task.signal);
  if (newCodes.size > 0)
    await readContentStreams(
      archive,
      (stream) => recodedText(file, stream, newCodes),
      () => {},
    );
  archive.report(...namedNotices("fonts-substituted", substituted));
  settleColors(archive, content, new Profiles(archive));
  if (isFirstPart && !hasRgbIntent(archive)) removeColors(archive);
  writeMetadata(archive);
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
