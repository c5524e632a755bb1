// Names and groups the operations for people, also those that only the other variant has. What they do and take comes
// from the service.
import { PROFILE_EXAMPLES } from "./profile-examples.ts";

export interface CatalogEntry {
  readonly path: string;
  readonly title: string;
  /** Values that are chosen at first where the service has no default. */
  readonly first?: Readonly<Record<string, string>>;
  /** True if page n of the output stands beside page n of the input. */
  readonly keepsPages?: boolean;
  /** True if the output is the same document as the input, so that their sizes can be compared. */
  readonly keepsKind?: boolean;
  /** Name of what is made of several files, as the command line has it. @default the name of the first file */
  readonly together?: string;
}

export interface CatalogGroup {
  readonly title: string;
  readonly entries: readonly CatalogEntry[];
}

export const CATALOG: readonly CatalogGroup[] = [
  {
    title: "Make a PDF",
    entries: [
      { path: "/pdf", title: "Convert to PDF", keepsPages: true },
      { path: "/merged-pdf", title: "Merge", together: "merged" },
      { path: "/split-pdf", title: "Split" },
    ],
  },
  {
    title: "Improve a PDF",
    entries: [
      {
        path: "/compressed-pdf",
        title: "Compress",
        first: { compression_level: "medium", profile: PROFILE_EXAMPLES[0]!.text },
        keepsPages: true,
        keepsKind: true,
      },
      { path: "/pdfa", title: "Archive as PDF/A", first: { output_type: "PDF/A-2b" }, keepsPages: true },
      { path: "/linearized-pdf", title: "Fast web view", keepsPages: true, keepsKind: true },
      { path: "/flattened-transparencies-pdf", title: "Flatten transparency", keepsPages: true, keepsKind: true },
    ],
  },
  {
    title: "Draw the pages",
    entries: [
      { path: "/png", title: "PNG" },
      { path: "/jpg", title: "JPEG" },
      { path: "/tif", title: "TIFF" },
      { path: "/gif", title: "GIF" },
      { path: "/bmp", title: "BMP" },
    ],
  },
  {
    title: "Store",
    entries: [
      { path: "/zip", title: "Zip", together: "archive" },
      { path: "/html", title: "HTML text" },
    ],
  },
];

export const entryOf = (path: string): CatalogEntry | undefined =>
  CATALOG.flatMap(({ entries }) => entries).find((entry) => entry.path === path);
