// Flattens the pages with transparency; all other pages keep their content. Then removes the remaining transparency
// parameters from all objects.

import { contentOf } from "../content/page-content.ts";
import { surveyFile } from "../content/survey.ts";
import { EngineFailure } from "../contract/failure.ts";
import { LIMITS } from "../contract/limits.ts";
import type { MupdfOptions } from "../engines/mupdf/instance/mupdf.ts";
import type { PdfFile } from "../objects/pdf-file.ts";
import { Dictionary, type Reference } from "../objects/values.ts";
import { writeFile } from "../objects/writer.ts";
import { isClassic } from "../pages/claims.ts";
import { pageDictionary, readPages, type SourcePage } from "../pages/pages.ts";
import { flattenPage, type PageJob } from "./flatten-page.ts";
import { Pace } from "./pace.ts";
import { imageStream } from "./paint/add-image.ts";
import { CompositedForms } from "./paint/composited-form.ts";
import { HardMasks } from "./paint/hard-masks.ts";
import { OffscreenDocument } from "./paint/offscreen-document.ts";
import { stripTransparency } from "./paint/strip-transparency.ts";
import { flattenAnnotations, isTransparentAnnotation } from "./scan/annotations.ts";
import { TransparencyFinder } from "./scan/transparency.ts";
import { type FlatteningQuality, RESOLUTIONS } from "./settings.ts";

export interface FlattenOptions {
  readonly quality: FlatteningQuality;
  /** True to write a file even if nothing is transparent. */
  readonly mustWrite: boolean;
  /** The bytes of the document, for the engine that draws its pages. */
  readonly bytes: Uint8Array;
  readonly drawing: MupdfOptions;
  readonly signal: AbortSignal;
  /** Returns the CPU time used so far, in milliseconds. @default no CPU limit */
  readonly usedMs?: (() => number) | undefined;
  /** Called before the first change of the file, if there is a change. This function can change the file too. */
  prepare(): void;
}

export interface Flattened {
  /** The bytes of the new file, streamed while they are produced. */
  readonly chunks: AsyncGenerator<Uint8Array>;
  /** Fraction of each page's area that images replace, from 0 to 1. */
  readonly coverage: readonly number[];
}

/**
 * @returns undefined if the file needs no change
 * @throws EngineFailure if the file cannot be read or drawn
 */
export async function flattenFile(file: PdfFile, options: FlattenOptions): Promise<Flattened | undefined> {
  const { signal } = options;
  let isMarked = options.mustWrite;
  const view = {
    get: (reference: Reference) => {
      const object = file.get(reference);
      isMarked ||= stripTransparency(file, object) !== object;
      return object;
    },
  };
  await surveyFile(file, view, signal);
  isMarked ||= stripTransparency(file, file.catalog) !== file.catalog;
  if (!isMarked) return undefined;
  options.prepare();
  const coverage = await flattenPages(file, options);
  const rewriting = {
    canonical: (reference: Reference) => reference,
    rewrite: (object: Parameters<typeof stripTransparency>[1]) => stripTransparency(file, object),
  };
  return { chunks: writeFile(file, rewriting, { classic: isClassic(file) }), coverage };
}

async function flattenPages(file: PdfFile, options: FlattenOptions): Promise<number[]> {
  const { bytes, drawing, quality, signal, usedMs = () => 0 } = options;
  const { pages } = readPages(file);
  let stage: OffscreenDocument | undefined;
  const coverage: number[] = [];
  const transparency = new TransparencyFinder(file);
  const shared = {
    file,
    transparency,
    forms: new CompositedForms(file, transparency),
    masks: new HardMasks(file),
    resolutions: RESOLUTIONS[quality],
    finer: { pixelsLeft: LIMITS.picturedDocumentPixels },
    isTagged: file.catalog.has("StructTreeRoot"),
    signal,
  };
  const seen = new Set<number>();
  const drawn = new Set<SourcePage>();
  for (const page of pages) {
    signal.throwIfAborted();
    if (!seen.has(page.reference.number) && needsDrawing(file, transparency, page)) drawn.add(page);
    seen.add(page.reference.number);
    await file.relieve();
  }
  const pace = new Pace(drawn.size, LIMITS.flatteningCpuMs, usedMs);
  try {
    for (const [index, page] of pages.entries()) {
      signal.throwIfAborted();
      if (!seen.delete(page.reference.number)) continue;
      if (drawn.has(page)) {
        stage ??= await OffscreenDocument.open(bytes, drawing);
        coverage.push(await flattenOne({ ...shared, stage, pageNumber: index + 1 }, page));
        const possible = pace.step();
        if (possible !== undefined) throw tooLong(drawn.size, possible);
      } else coverage.push(0);
      await file.relieve();
    }
  } finally {
    stage?.close();
  }
  return coverage;
}

function tooLong(pages: number, possible: number): EngineFailure {
  const reason = `The document has ${pages} pages with transparency; about ${possible} such pages can be flattened.`;
  return new EngineFailure("too-complex", reason, { why: reason });
}

function needsDrawing(file: PdfFile, transparency: TransparencyFinder, source: SourcePage): boolean {
  const page = pageDictionary(file, source);
  if (transparency.inResources(page.get("Resources"))) return true;
  return (file.array(page.get("Annots")) ?? []).some((value) => isTransparentAnnotation(file, transparency, value));
}

async function flattenOne(job: PageJob, source: SourcePage): Promise<number> {
  const { file } = job;
  const page = pageDictionary(file, source);
  const resources = file.dictionary(page.get("Resources"));
  const bytes = contentOf(file, page.get("Contents"));
  const annotations = await flattenAnnotations(job, page, resources, bytes);
  const flat = await flattenPage(job, page, resources, bytes);
  if (flat || annotations) {
    const changed = (file.dictionary(source.reference) ?? new Dictionary()).clone();
    if (flat) {
      const { bytes, resources } = flat;
      changed.set("Contents", file.add(imageStream(new Dictionary(), bytes))).set("Resources", resources);
    }
    if (annotations) changed.set("Annots", annotations);
    file.put(source.reference, changed);
  }
  return flat?.coverage ?? 0;
}
