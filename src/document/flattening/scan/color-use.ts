// Finds the kinds of colors that a page uses: RGB, inks or both. They decide the color model of its images.
import type { PdfFile } from "../../objects/pdf-file.ts";
import { type Dictionary, Reference, type Value } from "../../objects/values.ts";

/** Maximum depth of nested color spaces. */
const MAX_DEPTH = 8;

export class ColorUse {
  readonly #file: PdfFile;
  readonly #seen = new Set<number>();
  usesRgb = false;
  /** True if the page uses CMYK or spot colors. */
  usesInks = false;

  constructor(file: PdfFile) {
    this.#file = file;
  }

  /** @param operator an operator that sets a device color (ISO 32000-1, table 74) */
  device(operator: string): void {
    if (operator === "k" || operator === "K") this.usesInks = true;
    else if (operator === "rg" || operator === "RG") this.usesRgb = true;
  }

  /** @param space name or value of the color space */
  space(space: Value | undefined, resources: Dictionary | undefined, depth = 0): void {
    if (depth > MAX_DEPTH || space === undefined) return;
    const file = this.#file;
    if (space instanceof Reference) {
      if (this.#seen.has(space.number)) return;
      this.#seen.add(space.number);
    }
    const name = file.name(space);
    if (name !== undefined) {
      const named = file.dictionary(resources?.get("ColorSpace"))?.get(name);
      if (named !== undefined && depth === 0) this.space(named, resources, depth + 1);
      else this.#family(name, []);
      return;
    }
    const array = file.array(space);
    if (!array) return;
    this.#family(file.name(array[0]) ?? "", array);
    const family = file.name(array[0]);
    if (family === "Indexed" || family === "Pattern") this.space(array[1], resources, depth + 1);
  }

  #family(family: string, array: readonly Value[]): void {
    switch (family) {
      case "DeviceRGB":
      case "RGB":
      case "CalRGB":
      case "Lab":
        this.usesRgb = true;
        break;
      case "DeviceCMYK":
      case "CMYK":
      case "Separation":
      case "DeviceN":
        this.usesInks = true;
        break;
      case "ICCBased": {
        const components = this.#file.number(this.#file.dictionary(array[1])?.get("N"));
        if (components === 4) this.usesInks = true;
        else if (components === 3) this.usesRgb = true;
      }
    }
  }
}
