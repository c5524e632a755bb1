// Scans the content of a page as a viewer does. Records transparent painting, and insertion points for the images that
// replace it.

import { readMatrix } from "../../content/boxes.ts";
import type { ContentOperation } from "../../content/content.ts";
import { IDENTITY, multiply } from "../../content/matrix.ts";
import { decodeContent } from "../../content/page-content.ts";
import { EngineFailure } from "../../contract/failure.ts";
import type { PdfFile } from "../../objects/pdf-file.ts";
import type { Dictionary, PdfStream } from "../../objects/values.ts";
import { PageTooComplex } from "../page-too-complex.ts";
import { RunBuilder } from "../run-builder.ts";
import type { ContentNode, Kid, LayerScope, TransparentRun } from "./content-node.ts";
import { ContentScan } from "./content-scan.ts";
import { GraphicsState } from "./graphics-state.ts";
import type { FormPlace, PageScan, ScanOptions } from "./page-scan.ts";

/** Maximum depth of nested forms. A deeper form counts as one operation. */
const MAX_DEPTH = 12;
const MAX_NODES = 4000;
const MAX_PAINTS = 200_000;
const MAX_OPERATIONS = 10_000_000;
/** Maximum decoded bytes of the page's content and its forms. A form counts each time it is painted. */
const MAX_TOTAL_BYTES = 160 * 1024 * 1024;
/** Approximate memory of a recorded operation. */
const PAINT_BYTES = 400;

const CLOSED = { saved: 0, marked: 0, strays: [] };

export interface Scanned {
  readonly root: ContentNode;
  readonly runs: readonly TransparentRun[];
  /** One more than the last sequence number. */
  readonly paintCount: number;
  readonly usesLayers: boolean;
  /** The memory charged for the scan. */
  readonly chargedBytes: number;
}

/** @throws PageTooComplex */
export function scanContent(bytes: Uint8Array, resources: Dictionary | undefined, options: ScanOptions): Scanned {
  return new Scanner(options).run(bytes, resources);
}

class Scanner implements PageScan {
  readonly #options: ScanOptions;
  readonly #file: PdfFile;
  readonly #runs: RunBuilder;
  #sequence = 0;
  #nodes = 0;
  #bytes = 0;
  #paints = 0;
  #operations = 0;
  #usesLayers = false;

  constructor(options: ScanOptions) {
    this.#options = options;
    this.#file = options.file;
    this.#runs = new RunBuilder(options.splitsFills);
  }

  run(bytes: Uint8Array, resources: Dictionary | undefined): Scanned {
    try {
      return this.#run(bytes, resources);
    } catch (error) {
      this.#options.budget.release(this.#paints * PAINT_BYTES);
      throw error;
    }
  }

  #run(bytes: Uint8Array, resources: Dictionary | undefined): Scanned {
    const root = this.#node(bytes, resources, undefined);
    new ContentScan(this, root, new GraphicsState(IDENTITY, { outer: undefined }), undefined, undefined, 0).run();
    return {
      root,
      runs: this.#runs.finish(),
      paintCount: this.#sequence,
      usesLayers: this.#usesLayers,
      chargedBytes: this.#paints * PAINT_BYTES,
    };
  }

  #node(bytes: Uint8Array, resources: Dictionary | undefined, form: ContentNode["form"]): ContentNode {
    this.#bytes += bytes.length;
    this.#nodes++;
    return { id: this.#nodes, bytes, resources, form, paints: [], kids: [], parent: undefined, ending: CLOSED };
  }

  get options(): ScanOptions {
    return this.#options;
  }

  get runs(): RunBuilder {
    return this.#runs;
  }

  get sequence(): number {
    return this.#sequence;
  }

  countOperation(): void {
    if (++this.#operations > MAX_OPERATIONS) throw new PageTooComplex("operations");
  }

  /** @returns the sequence number of the next painting operation */
  next(isNoted: boolean): number {
    if (isNoted) {
      if (++this.#paints > MAX_PAINTS) throw new PageTooComplex("transparent operations");
      this.#options.budget.charge(PAINT_BYTES);
    }
    return this.#sequence++;
  }

  noteLayer(): void {
    this.#usesLayers = true;
  }

  enter(
    scan: FormPlace,
    form: PdfStream,
    objectNumber: number,
    operation: ContentOperation,
    layers: LayerScope | undefined,
  ): boolean {
    if (scan.depth >= MAX_DEPTH || this.#nodes >= MAX_NODES || this.#bytes >= MAX_TOTAL_BYTES) return false;
    const { state, node } = scan;
    const bytes = decode(form);
    const resources = this.#file.dictionary(form.dictionary.get("Resources")) ?? node.resources;
    const kidNode = this.#node(bytes, resources, { dictionary: form.dictionary, objectNumber });
    const inside = state.clone();
    inside.matrix = multiply(readMatrix(this.#file, form.dictionary.get("Matrix")) ?? IDENTITY, state.matrix);
    inside.clip = { outer: state.clip };
    const first = this.#sequence;
    const { saved, marked, tagStart } = scan.insertionAt(operation.end);
    new ContentScan(this, kidNode, inside, layers, tagStart, scan.depth + 1).run();
    const kid: Kid = {
      start: operation.start,
      end: operation.end,
      saved,
      marked,
      node: kidNode,
      first,
      last: this.#sequence,
    };
    kidNode.parent = { node, kid };
    node.kids.push(kid);
    this.#runs.leaveForm(kidNode, scan.insertionAt(operation.end));
    return true;
  }
}

function decode(stream: PdfStream): Uint8Array {
  try {
    return decodeContent(stream);
  } catch (error) {
    if (error instanceof EngineFailure && error.reason === "too-large") throw new PageTooComplex(error.detail);
    throw error;
  }
}
