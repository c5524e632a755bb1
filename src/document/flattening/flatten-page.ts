// Flattens one page without visible changes. A scan finds the transparent operations. The page is drawn with and
// without each operation; then the smallest change with the same effect replaces the operation.

import { around, type Box, inverse } from "../content/matrix.ts";
import { EngineFailure } from "../contract/failure.ts";
import { DRAWING_FUEL } from "../engines/mupdf/instance/mupdf.ts";
import { placedImages } from "../images/placed-images.ts";
import type { PdfFile } from "../objects/pdf-file.ts";
import { Dictionary, Reference } from "../objects/values.ts";
import { FinalContent, matrixText } from "./final-content.ts";
import { imageSamplesOf } from "./image-samples.ts";
import { PageTooComplex } from "./page-too-complex.ts";
import type { CompositedForms } from "./paint/composited-form.ts";
import { colorSetting, compositedColor, scaledTint } from "./paint/compositing.ts";
import type { HardMasks } from "./paint/hard-masks.ts";
import type { ColorModel, OffscreenDocument } from "./paint/offscreen-document.ts";
import { mayHaveTilings } from "./paint/tilings.ts";
import { Variants } from "./paint/variants.ts";
import { type Fineness, Regions, type VisibleAreas } from "./regions.ts";
import { NameAllocator } from "./resource-names.ts";
import { ColorUse } from "./scan/color-use.ts";
import type { ContentNode, LayerScope, Paint, TransparentRun } from "./scan/content-node.ts";
import { type Scanned, scanContent } from "./scan/scan.ts";
import { TextOnly } from "./scan/text-only.ts";
import type { TransparencyFinder } from "./scan/transparency.ts";
import { DRAWINGS_OF_RUN, MAX_DECODED, MAX_PICTURES, MAX_RUNS, MAX_STEPS } from "./settings.ts";

export interface PageJob {
  readonly file: PdfFile;
  readonly stage: OffscreenDocument;
  readonly transparency: TransparencyFinder;
  readonly masks: HardMasks;
  readonly forms: CompositedForms;
  readonly resolutions: Fineness["resolutions"];
  readonly finer: Fineness["finer"];
  readonly isTagged: boolean;
  readonly signal: AbortSignal;
  readonly pageNumber: number;
}

export interface FlatPage {
  readonly bytes: Uint8Array;
  readonly resources: Dictionary;
  /** Fraction of the page's area that images replace, from 0 to 1. */
  readonly coverage: number;
}

/** @returns undefined if the page has no transparency */
export async function flattenPage(
  job: PageJob,
  page: Dictionary,
  resources: Dictionary | undefined,
  bytes: Uint8Array,
): Promise<FlatPage | undefined> {
  const { file, transparency } = job;
  if (!transparency.inResources(resources)) return undefined;
  const colors = new ColorUse(file);
  const options = { file, transparency, colors, budget: file.budget };
  let scanned: Scanned | undefined;
  try {
    scanned = scanContent(bytes, resources, { ...options, splitsFills: true });
    if (isTooLong(scanned)) {
      file.budget.release(scanned.chargedBytes);
      scanned = scanContent(bytes, resources, { ...options, splitsFills: false });
    }
  } catch (error) {
    if (!(error instanceof PageTooComplex)) throw error;
  }
  if (scanned?.runs.length === 0) return undefined;
  const imageSamples = imageSamplesOf(file, scanned?.runs ?? []);
  const stagePage = {
    page,
    resources,
    objects: file.dictionary(resources?.get("XObject")),
    states: file.dictionary(resources?.get("ExtGState")),
    hasTilings: mayHaveTilings(file, resources),
    imageSamples,
  };
  const begin = async () => {
    await job.stage.show(stagePage);
    return new PageFlattening(job, resources, regionsOf(job, page, colors));
  };
  try {
    if (scanned) return await atBest(job, async () => (await begin()).run(scanned, imageSamples * DRAWINGS_OF_RUN));
  } catch (error) {
    if (!isTooHard(error)) throw error;
  } finally {
    if (scanned) file.budget.release(scanned.chargedBytes);
  }
  try {
    return await atBest(job, async () => (await begin()).asPicture(bytes));
  } catch (error) {
    throw error instanceof EngineFailure && error.reason === "too-complex" ? tooComplex(error, job.pageNumber) : error;
  }
}

function tooComplex(failure: EngineFailure, pageNumber: number): EngineFailure {
  const reason = `To draw page ${pageNumber} once takes more than ${DRAWING_FUEL / 10 ** 9} billion steps.`;
  return new EngineFailure("too-complex", failure.detail, { cause: failure, why: reason });
}

/** Flattens at the resolution of the page's images. If the engine fails, retries at the default resolution. */
async function atBest({ finer }: PageJob, flatten: () => Promise<FlatPage>): Promise<FlatPage> {
  const { pixelsLeft } = finer;
  try {
    return await flatten();
  } catch (error) {
    if (!isTooHard(error) || finer.pixelsLeft === pixelsLeft) throw error;
    finer.pixelsLeft = 0;
    return flatten();
  }
}

const isTooHard = (error: unknown) => error instanceof EngineFailure && TOO_HARD.has(error.reason);

/** Failure reasons that repeated drawing of a page can cause. Drawing the page once can still succeed. */
const TOO_HARD = new Set(["too-complex", "too-large", "crashed"]);

/**
 * Returns the color model of the page's images: CMYK if the page uses inks (CMYK or spot colors), otherwise RGB. If it
 * uses both inks and RGB, or neither, the blending space of its group decides.
 */
function colorModel(file: PdfFile, page: Dictionary, colors: ColorUse): ColorModel {
  const group = new ColorUse(file);
  group.space(file.dictionary(page.get("Group"))?.get("CS"), undefined);
  if (!colors.usesInks) return !colors.usesRgb && group.usesInks ? "cmyk" : "rgb";
  return colors.usesRgb && !group.usesInks ? "rgb" : "cmyk";
}

/** Returns the regions of the page that the off-screen document shows. */
export function regionsOf(job: PageJob, page: Dictionary, colors: ColorUse): Regions {
  const { file, stage, resolutions, finer } = job;
  const { transform: matrix, bounds } = stage;
  const images = placedImages(file, page, { matrix, bounds, annotations: true });
  return new Regions(file, stage, colorModel(file, page, colors), { resolutions, images, finer });
}

class PageFlattening {
  readonly #job: PageJob;
  readonly #resources: Dictionary | undefined;
  readonly #regions: Regions;
  readonly #textOnly: TextOnly;
  readonly #names: NameAllocator;

  constructor(job: PageJob, resources: Dictionary | undefined, regions: Regions) {
    const { file, transparency } = job;
    this.#job = job;
    this.#resources = resources;
    this.#regions = regions;
    this.#textOnly = new TextOnly(file, { file, transparency, colors: new ColorUse(file), budget: file.budget });
    this.#names = new NameAllocator("Fl", file.dictionary(resources?.get("XObject")));
  }

  /** @param decoded estimated number of image samples decoded per run */
  async run(scanned: Scanned, decoded: number): Promise<FlatPage> {
    const { file, stage, isTagged, signal } = this.#job;
    const variants = new Variants(file, stage, scanned.root);
    const begin = () => {
      const final = new FinalContent(file, this.#textOnly, isTagged, this.#names);
      return { final, runs: this.#withoutHardMasks(scanned.runs, final) };
    };
    let { final, runs } = begin();
    if (runs.length > 0) {
      const isLong = isTooLong(scanned) || runs.length * decoded > MAX_DECODED;
      const seen = isLong || scanned.usesLayers ? undefined : this.#seen(runs, variants);
      const isDone = !isLong && (await this.#oneByOne(runs, variants, final, seen));
      signal.throwIfAborted();
      if (!isDone) {
        ({ final, runs } = begin());
        this.#regions.forget();
        this.#overlay(runs, scanned, variants, final);
      }
    }
    return { ...final.emit(scanned.root), coverage: this.#regions.coverage };
  }

  /** @returns false if the page would need more than `MAX_PICTURES` images */
  async #oneByOne(
    runs: readonly TransparentRun[],
    variants: Variants,
    final: FinalContent,
    seen: VisibleAreas | undefined,
  ) {
    for (const run of runs) {
      this.#job.signal.throwIfAborted();
      this.#flatten(run, variants, final, seen);
      if (final.pictureCount > MAX_PICTURES) return false;
      await Promise.resolve();
    }
    return true;
  }

  /**
   * Replaces the content of the page by images of it, with invisible text on top. The last resort for complex pages.
   */
  asPicture(bytes: Uint8Array): FlatPage {
    const { file, stage } = this.#job;
    using variant = stage.variant(bytes, new Map());
    const pictures = this.#regions.whole(variant);
    const text = this.#textOnly.content(bytes, this.#resources);
    const resources = text?.resources.clone() ?? new Dictionary();
    const objects = file.dictionary(resources.get("XObject"))?.clone() ?? new Dictionary();
    const shown = pictures.map(({ image, matrix }) => {
      const name = this.#names.next();
      objects.set(name, image);
      return Buffer.from(`q ${matrixText(matrix)} cm /${name} Do Q\n`, "latin1");
    });
    resources.set("XObject", objects);
    return {
      bytes: new Uint8Array(Buffer.concat([...shown, text?.content ?? new Uint8Array(0)])),
      resources,
      coverage: this.#regions.coverage,
    };
  }

  /**
   * Replaces soft masks without intermediate values by masks of one bit. Returns the runs that are still transparent.
   */
  #withoutHardMasks(runs: readonly TransparentRun[], final: FinalContent): TransparentRun[] {
    const left: TransparentRun[] = [];
    for (const { paints, insertion } of runs) {
      const soft = paints.filter((paint) => {
        const hard = paint.byMask ? this.#job.masks.find(paint.object) : undefined;
        if (hard) final.replace(paint, hard);
        return !hard;
      });
      if (soft.length > 0) left.push({ paints: soft, insertion });
    }
    return left;
  }

  /**
   * Returns the areas where transparency is visible on the finished page. Areas covered by later objects need no image.
   */
  #seen(runs: readonly TransparentRun[], variants: Variants): VisibleAreas {
    using all = variants.make({});
    using opaque = variants.make({ without: runs.flatMap(({ paints }) => paints) });
    return this.#regions.seen(all, opaque);
  }

  #overlay(runs: readonly TransparentRun[], { root }: Scanned, variants: Variants, final: FinalContent): void {
    const paints = runs.flatMap((run) => run.paints);
    using after = variants.make({});
    using before = variants.make({ without: paints });
    const changed = this.#regions.changed(this.#regions.coarse(after), this.#regions.coarse(before), undefined);
    for (const paint of paints) final.drop(paint);
    if (!changed) return;
    const pictures = this.#regions.pictures(after, before, changed, undefined);
    final.cover(root, pictures);
  }

  #flatten(run: TransparentRun, variants: Variants, final: FinalContent, seen: VisibleAreas | undefined): void {
    const { paints, insertion } = run;
    const upTo = paints.reduce((last, paint) => (paint.sequence > last.sequence ? paint : last));
    const revealed = this.#revealedBy(run);
    using after = variants.make({ upTo, revealed });
    using before = variants.make({ upTo, revealed, without: paints });
    const within = boundsOfAll(paints);
    const [withIt, withoutIt] = [this.#regions.coarse(after, within), this.#regions.coarse(before, within)];
    const changed = this.#regions.changed(withIt, withoutIt, seen);
    if (!changed) {
      for (const paint of paints) final.drop(paint);
      return;
    }
    if (paints.every(({ byState }) => byState) && paints.some(({ plainAlpha }) => plainAlpha === undefined)) {
      using opaque = variants.make({ upTo, revealed, opaque: paints });
      // The transparency is invisible, so the operations stay; a later pass removes their transparency parameters.
      if (!this.#regions.changed(withIt, this.#regions.coarse(opaque, within), seen)) return;
    }
    const [only] = paints;
    if (paints.length === 1 && this.#mixed(only!, this.#regions.backdrop(withoutIt, changed), final)) return;
    if (paints.length === 1 && only!.isFill && inverse(only!.insertion.matrix)) {
      using filled = variants.make({ upTo, revealed, unbounded: only! });
      const result = this.#regions.fill(filled, changed, within);
      if ("color" in result) final.recolor(only!, colorSetting(result.color, this.#regions.model));
      else final.fillWith(only!, result);
      return;
    }
    for (const paint of paints) final.drop(paint);
    final.picture(insertion, this.#regions.pictures(after, before, changed, seen, only!.ownLayer));
  }

  /** @returns true if a fill, stroke or form in composited colors replaces the operation */
  #mixed(paint: Paint, backdrop: readonly number[] | undefined, final: FinalContent): boolean {
    const { file, forms } = this.#job;
    const { kind, plainAlpha: alpha, isFill, isStroke } = paint;
    if (!backdrop || alpha === undefined || !paint.byState || this.#isKnockout(paint)) return false;
    const mixture = { alpha, backdrop, model: this.#regions.model };
    if (kind === "form") {
      const form = forms.make(paint.object, mixture);
      if (form) final.replace(paint, form);
      return form !== undefined;
    }
    if (!isFill && !isStroke) return false;
    const thinned = this.#regions.isPaper(backdrop) ? scaledTint(file, paint, alpha) : undefined;
    const setting = thinned ?? compositedColor(file, paint, mixture);
    if (setting !== undefined) final.recolor(paint, setting);
    return setting !== undefined;
  }

  /**
   * Reports whether the operation is in a knockout group. There, earlier objects of the group do not belong to the
   * backdrop (ISO 32000-1, 11.4.6).
   */
  #isKnockout({ node }: Paint): boolean {
    const { file } = this.#job;
    for (let at: ContentNode | undefined = node; at?.form; at = at.parent?.node) {
      if (file.boolean(file.dictionary(at.form.dictionary.get("Group"))?.get("K")) === true) return true;
    }
    return false;
  }

  #revealedBy({ paints, insertion }: TransparentRun): LayerScope | undefined {
    const [first] = paints;
    const own = first?.ownLayer !== undefined && first.object instanceof Reference ? first.object.number : undefined;
    return own === undefined ? insertion.layers : { outer: insertion.layers, mark: undefined, objectNumber: own };
  }
}

/** Reports whether a page has too many runs to draw each one separately. */
const isTooLong = ({ runs, paintCount }: Scanned) => runs.length > MAX_RUNS || runs.length * paintCount > MAX_STEPS;

/** Returns the bounding box of all operations. Undefined if the bounds of any operation are unknown. */
function boundsOfAll(paints: readonly Paint[]): Box | undefined {
  const [first, ...others] = paints.map(({ bounds }) => bounds);
  return others.reduce((all, box) => all && box && around(all, box), first);
}
