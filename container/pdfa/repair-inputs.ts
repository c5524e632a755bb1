// Prepares the input of the strategies that repair: the original, or a copy with changes that the level requires first
// (flattened transparency, or converted attachments). Each copy is made once for all strategies.

import { flattenTransparency } from "../../src/operations/flatten-transparency.ts";
import { extractPdfs } from "../../src/operations/pdfa-steps/extract-pdfs.ts";
import { replacePdfs } from "../../src/operations/pdfa-steps/replace-pdfs.ts";
import type { Validation } from "../engines/verapdf/validation.ts";
import { CONTAINER_LIMITS } from "../limits.ts";
import type { FileInput } from "../scratch/file-input.ts";
import type { ConversionContext, GeneratedFile, RepairInputs } from "./strategy.ts";

/** Clause of ISO 19005-1 that forbids transparency. The other parts allow it. */
const TRANSPARENCY = "6.4";
/**
 * Quality of flattening. It includes the resolution of rasterized pages; a higher quality takes two to eight times
 * longer.
 */
const FLATTENING = "medium";
/** Clause of ISO 19005-2 that forbids embedded files that are not PDF/A. */
const EMBEDDED_FILES = "6.8";

export class PreparedRepairInputs implements RepairInputs {
  readonly #workshop: ConversionContext;
  readonly #original: FileInput;
  #flattened: Promise<GeneratedFile> | undefined;
  #embedded: Promise<GeneratedFile> | undefined;

  constructor(workshop: ConversionContext, original: FileInput) {
    this.#workshop = workshop;
    this.#original = original;
  }

  /**
   * Returns the input that the violations in a validation require.
   * @param validation of the original, or of a file made from the original
   * @throws EngineFailure
   */
  async for(validation: Validation | undefined): Promise<GeneratedFile> {
    const broken = new Set((validation?.failures ?? []).map(({ clause }) => clause));
    const { part } = this.#workshop.level;
    if (part === 1 && broken.has(TRANSPARENCY)) this.#flattened ??= this.#flatten();
    if (part === 2 && broken.has(EMBEDDED_FILES)) this.#embedded ??= this.#convertEmbedded();
    return (await this.#flattened) ?? (await this.#embedded) ?? this.#original;
  }

  #flatten(): Promise<GeneratedFile> {
    return this.#workshop.runOperation(flattenTransparency, [this.#original], { quality: FLATTENING });
  }

  /**
   * Converts embedded PDFs with the same strategies, where possible, because embedded files must be PDF/A themselves.
   */
  async #convertEmbedded(): Promise<GeneratedFile> {
    const workshop = this.#workshop;
    const ends = performance.now() + CONTAINER_LIMITS.embeddedPdfsMs;
    const indexes: number[] = [];
    const converted: FileInput[] = [];
    const found = await workshop.extract(extractPdfs, [this.#original], { most: CONTAINER_LIMITS.embeddedPdfs });
    for (const [index, embedded] of found.entries()) {
      const left = Math.ceil(ends - performance.now());
      const made = left > 0 ? await workshop.convert(embedded, left) : undefined;
      if (!made) continue;
      indexes.push(index);
      converted.push(made);
    }
    workshop.log("embedded documents converted", { found: found.length, converted: converted.length });
    return workshop.runOperation(replacePdfs, [this.#original, ...converted], { indexes });
  }
}
