// Embeds a file in a converted document, and validates the result.

import { OutOfRange } from "../../src/document/contract/failure.ts";
import type { Profile } from "../../src/document/invoices/profiles.ts";
import { levelName, type TargetLevel } from "../../src/document/pdfa/level.ts";
import { embedAttachment } from "../../src/operations/pdfa-steps/embed-attachment.ts";
import { type AttachedKind, readAttachment } from "../../src/operations/pdfa-steps/read-attachment.ts";
import type { FileInput } from "../scratch/file-input.ts";
import { failsAsNonconforming, validated } from "./convert.ts";
import type { ConversionContext, GeneratedFile } from "./strategy.ts";

/** The part of PDF/A that allows attachments of any type. */
const PART = 3;

/**
 * Checks a file before the conversion, which takes longer.
 * @param profile the expected profile of an invoice. @default any
 * @param level that the client requested
 * @returns a function that embeds the file in the converted document
 * @throws EngineFailure `not-an-invoice`
 * @throws OutOfRange
 */
export async function prepareEmbedding(
  attached: FileInput,
  profile: Profile | undefined,
  level: TargetLevel,
  workshop: ConversionContext,
): Promise<(document: GeneratedFile) => Promise<GeneratedFile>> {
  if (level.part !== PART) throw new OutOfRange("level", levelName(level), "Only PDF/A-3 allows such attachments.");
  const [read] = await workshop.extract(readAttachment, [attached], profile === undefined ? {} : { profile });
  const kind = JSON.parse(new TextDecoder().decode(await read!.bytes())) as AttachedKind;
  return async (document) => {
    const embedded = await workshop.runOperation(embedAttachment, [document, attached], kind);
    const { work } = document;
    const validation = await (work ? workshop.validate({ ...embedded, work }) : validated(embedded, workshop));
    if (validation?.valid) return embedded;
    throw failsAsNonconforming(validation, level);
  };
}
