// Writes coefficients in the kernel as scans: sequential or progressive, with optimal Huffman tables for each.

import type { ImageKernel } from "../../image-kernel.ts";
import { MARKERS } from "../markers.ts";
import { segment } from "../write-header.ts";
import { type OptimalTable, optimalTable } from "./huffman-lengths.ts";

const { DHT, SOS } = MARKERS;
const COUNTS = 257;
/** Bytes of the marker, the length and the table number. */
const TABLE_HEAD_BYTES = 5;
const SCAN_HEAD_BYTES = 10;

/** Parameters of a scan (T.81 G.1.1.1). */
interface Scan {
  /** Index of the component; undefined for all components. */
  readonly component?: number;
  readonly first: number;
  readonly last: number;
  readonly refine: boolean;
  readonly low: number;
}

/** A scan with its optimal tables. */
interface Plan extends Scan {
  /** Tables by the kernel's table number: DC 0 and 1, AC 2 and 3. */
  readonly tables: ReadonlyMap<number, OptimalTable>;
  readonly bits: number;
}

/** A component in a scan. Luminance uses table 0, chrominance table 1. */
export interface ScannedComponent {
  readonly id: number;
  /** 0 or 1. */
  readonly table: number;
}

/** Writes the scans of the kernel's coefficients. */
export class JpegScans {
  readonly #kernel: ImageKernel;
  readonly #components: readonly ScannedComponent[];

  constructor(kernel: ImageKernel, components: readonly ScannedComponent[]) {
    this.#kernel = kernel;
    this.#components = components;
    components.forEach(({ table }, index) => {
      kernel.exports.setTables(index, table, table);
    });
  }

  /** Returns one sequential scan. @returns undefined if a coefficient needs more bits than baseline codes allow */
  sequential(): Uint8Array | undefined {
    const plan = this.#plan({ first: 0, last: 63, refine: false, low: 0 });
    return this.#isWritable ? this.#write([plan]) : undefined;
  }

  /**
   * Returns the smallest set of progressive scans. @returns undefined in the same case as {@link JpegScans.sequential}
   */
  progressive(): Uint8Array | undefined {
    const plans = [...this.#dcPlans()];
    this.#components.forEach(({ table }, index) => {
      plans.push(...this.#acPlans(index, table === 0));
    });
    return this.#isWritable ? this.#write(plans) : undefined;
  }

  get #isWritable(): boolean {
    return this.#kernel.exports.overflowed.value === 0;
  }

  #dcPlans(): Plan[] {
    const dc = { first: 0, last: 0 };
    const whole = [this.#plan({ ...dc, refine: false, low: 0 })];
    const halved = [this.#plan({ ...dc, refine: false, low: 1 }), this.#plan({ ...dc, refine: true, low: 0 })];
    return smallest([whole, halved]);
  }

  /** Chooses successive approximation first, then spectral selection, because they are nearly independent. */
  #acPlans(component: number, isLuminance: boolean): Plan[] {
    const band = (first: number, last: number, low: number) =>
      this.#plan({ component, first, last, refine: false, low });
    const finer: Plan[] = [];
    let best = [band(1, 63, 0)];
    for (let low = 1; low <= 2; low++) {
      finer.unshift(this.#plan({ component, first: 1, last: 63, refine: true, low: low - 1 }));
      const candidate = [band(1, 63, low), ...finer];
      if (smallest([best, candidate]) === best) break;
      best = candidate;
    }
    const { low } = best[0]!;
    for (const split of isLuminance ? [5, 9] : [5]) {
      best = smallest([best, [band(1, split, low), band(split + 1, 63, low), ...best.slice(-low || best.length)]]);
    }
    return best;
  }

  #plan(scan: Scan): Plan {
    const { exports } = this.#kernel;
    exports.startCounting();
    this.#run(scan, true);
    const counts = new Uint32Array(exports.memory.buffer, exports.counts.value, 4 * COUNTS);
    const tables = new Map<number, OptimalTable>();
    let bits = 8 * SCAN_HEAD_BYTES + exports.plainBits.value;
    for (let table = 0; table < 4; table++) {
      const counted = counts.slice(table * COUNTS, table * COUNTS + 256);
      if (!counted.some((count) => count > 0)) continue;
      const optimal = optimalTable(counted);
      tables.set(table, optimal);
      bits += optimal.bits + 8 * (TABLE_HEAD_BYTES + 16 + optimal.symbols.length);
    }
    return { ...scan, tables, bits };
  }

  #run({ component, first, last, refine, low }: Scan, counting: boolean): void {
    const { exports } = this.#kernel;
    if (component !== undefined) exports.acScan(Number(counting), component, first, last, Number(refine), low);
    else if (last === 0) exports.dcScan(Number(counting), Number(refine), low);
    else exports.sequentialScan(Number(counting));
  }

  #write(plans: readonly Plan[]): Uint8Array {
    return concatenate(plans.flatMap((plan) => this.#writeScan(plan)));
  }

  #writeScan(plan: Plan): Uint8Array[] {
    const { exports } = this.#kernel;
    const heads: Uint8Array[] = [];
    for (const [table, { lengths, symbols }] of plan.tables) {
      heads.push(segment(DHT, [((table >> 1) << 4) | (table & 1)], lengths, symbols));
      const definition = this.#kernel.view(exports.tableDefinition.value, 272);
      definition.set(lengths);
      definition.set(symbols, 16);
      exports.setCodes(table);
    }
    const { component, first, last, refine, low } = plan;
    const components = component === undefined ? this.#components : [this.#components[component]!];
    heads.push(
      segment(
        SOS,
        [components.length],
        components.flatMap(({ id, table }) => [id, tablesOf(plan, table)]),
        [first, last, ((refine ? low + 1 : 0) << 4) | low],
      ),
    );
    exports.startWriting(exports.top.value);
    this.#run(plan, false);
    const length = exports.finishWriting();
    heads.push(this.#kernel.view(exports.top.value, length).slice());
    return heads;
  }
}

/** Returns the table numbers of a scan. Unused numbers are 0 (T.81 G.1.1.1.1: DC scans use no AC tables). */
function tablesOf({ first, last }: Scan, table: number): number {
  return (first === 0 ? table << 4 : 0) | (last > 0 ? table : 0);
}

function smallest(candidates: readonly Plan[][]): Plan[] {
  const size = (plans: readonly Plan[]) => plans.reduce((sum, { bits }) => sum + bits, 0);
  return candidates.reduce((best, next) => (size(next) < size(best) ? next : best));
}

export function concatenate(parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return bytes;
}
