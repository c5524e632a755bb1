// Runs the passes that make a file PDF/A, in order. Each pass implements its part of the rules, independently of the
// others.

import { noticesAbout } from "../../operations/notice.ts";
import { defaultVisibility } from "../optional-content.ts";
import type { PdfFile } from "../pdf-file.ts";
import { Dictionary } from "../values.ts";
import { mendActions } from "./actions.ts";
import { mendAnnotations, removeColors } from "./annotations.ts";
import { Archive, type Task } from "./archive.ts";
import { mendAttachments } from "./attachments.ts";
import { mendCatalog } from "./catalog.ts";
import { hasRgbIntent, settleColors } from "./colors.ts";
import { ContentMender } from "./content.ts";
import type { ContentWork } from "./content-count.ts";
import { readContentStreams } from "./content-streams.ts";
import { repairFonts } from "./fonts/repair-fonts.ts";
import { mendGraphicsStates } from "./graphics-states.ts";
import { removeGroups } from "./groups.ts";
import { mendLayers, removeLayers } from "./layers.ts";
import { mendLimits } from "./limits.ts";
import { reportLosses } from "./losses.ts";
import { writeMetadata } from "./metadata.ts";
import { mendNames } from "./names.ts";
import { scalePages } from "./page-scale.ts";
import { Profiles } from "./profiles.ts";
import { mendSamples } from "./samples.ts";
import { mendSpotColors } from "./spot-colors.ts";
import { mendStreams } from "./streams.ts";
import { mendXObjects } from "./xobjects.ts";

/**
 * Makes the file follow the rules of a level, as far as that can be done in place.
 * @param file changed
 * @returns what a validator needs for the content of its pages
 */
export async function repairFile(file: PdfFile, task: Task): Promise<ContentWork> {
  const archive = await Archive.open(file, task);
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
  // The survey covers what has been added or removed in the meantime.
  await archive.survey();
  nameFonts(archive);
  const content = new ContentMender(archive, visibility);
  await readContentStreams(archive, content.mend, content.count.call);
  const work = content.count.work();
  const substituted = await repairFonts(file, task.level, task.failures, task.shelf, task.signal);
  archive.report(...noticesAbout("fonts-substituted", substituted));
  settleColors(archive, content, new Profiles(archive));
  if (isFirstPart && !hasRgbIntent(archive)) removeColors(archive);
  writeMetadata(archive);
  return work;
}

/** Gives a number to fonts that are direct objects in the resources, because fonts are repaired by reference. */
function nameFonts({ file, places }: Archive): void {
  for (const { dictionary, key } of places) {
    if (key !== "Font") continue;
    for (const [name, value] of dictionary) {
      const isFont = value instanceof Dictionary && file.name(value.get("Type")) === "Font";
      if (isFont) dictionary.set(name, file.add(value));
    }
  }
}
