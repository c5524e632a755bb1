// Named paper sizes, and page orientations.
import { choice } from "./choice.ts";

export interface PageSize {
  /** In points. */
  readonly width: number;
  readonly height: number;
}

/** Sizes in portrait orientation. */
export const PAPERS = {
  letter: { width: 612, height: 792 },
  legal: { width: 612, height: 1008 },
  ledger: { width: 792, height: 1224 },
  A3: metric(297, 420),
  A4: metric(210, 297),
  A5: metric(148, 210),
} as const satisfies Record<string, PageSize>;

export type PaperName = keyof typeof PAPERS;
export const PAPER_NAMES = Object.keys(PAPERS) as readonly PaperName[];

export const orientation = choice(["portrait", "landscape"]);

export function paperSize(name: PaperName, turned: "portrait" | "landscape"): PageSize {
  const { width, height } = PAPERS[name];
  return turned === "landscape" ? { width: height, height: width } : { width, height };
}

function metric(widthMm: number, heightMm: number): PageSize {
  return { width: (widthMm * 72) / 25.4, height: (heightMm * 72) / 25.4 };
}
