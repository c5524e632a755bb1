// The options with which clients control the pages of texts, tables and data: the members of structured_text_options.
import * as z from "zod";
import { briefFlag, briefNumeric, color } from "../../document/contract/parameters/loose-json.ts";
import { PAPERS } from "../../document/contract/parameters/paper.ts";

/** Largest page of a PDF, in points (ISO 32000-1, annex C). */
const LARGEST_PAGE = 14_400;
const LONGEST_NAME = 100;
const LONGEST_TEXT = 1000;
const MOST_NAMES = 20;
const MOST_COLUMNS = 1000;
const MOST_IMAGES = 1000;

/** Sizes in portrait orientation, by the names of this parameter. */
export const PAGE_SIZES = {
  Letter: PAPERS.letter,
  Legal: PAPERS.legal,
  Ledger: PAPERS.ledger,
  Tabloid: PAPERS.ledger,
  A3: PAPERS.A3,
  A4: PAPERS.A4,
  A5: PAPERS.A5,
} as const;
const SIZE_NAMES = Object.keys(PAGE_SIZES) as readonly (keyof typeof PAGE_SIZES)[];

const points = (min: number, max: number) => briefNumeric({ min, max }).exactOptional();
const flag = briefFlag.exactOptional();
const rgb = color(3, 255).exactOptional();
const name = z.string().max(LONGEST_NAME).regex(/\S/).exactOptional();
const weight = briefNumeric({ min: 0.001, max: 1000 });

const pageSetup = z
  .strictObject({
    size: z.enum(SIZE_NAMES).exactOptional(),
    width: points(0.1, LARGEST_PAGE),
    height: points(0.1, LARGEST_PAGE),
    orientation: z.enum(["auto", "portrait", "landscape"]).exactOptional(),
    margin: z
      .strictObject({
        top: points(0, LARGEST_PAGE),
        right: points(0, LARGEST_PAGE),
        bottom: points(0, LARGEST_PAGE),
        left: points(0, LARGEST_PAGE),
      })
      .exactOptional(),
  })
  .refine(({ width, height }) => width === undefined || height !== undefined, { path: ["height"] })
  .refine(({ width, height }) => height === undefined || width !== undefined, { path: ["width"] })
  .refine(({ size, width }) => size === undefined || width === undefined, { path: ["size"] });

const table = z.strictObject({
  column_width_weights: z.array(weight).min(1).max(MOST_COLUMNS).exactOptional(),
  ...{ keep_header_with_first_row: flag, repeat_headers_on_overflow: flag, show_borders: flag },
  border_width: points(0, 12),
  ...{ border_color_rgb: rgb, header_fill_color_rgb: rgb, header_text_color_rgb: rgb },
  ...{ row_fill_color_rgb: rgb, alternate_row_fill_color_rgb: rgb },
  cell_padding: z
    .strictObject({ top: points(0, 72), right: points(0, 72), bottom: points(0, 72), left: points(0, 72) })
    .exactOptional(),
});

const style = z.strictObject({
  ...{ font: name, heading_font: name, code_font: name, cjk_font: name },
  fallback_fonts: z.array(name.unwrap()).min(1).max(MOST_NAMES).exactOptional(),
  text_size: points(6, 72),
  text_color_rgb: rgb,
  heading_scale: points(0.1, 4),
  table: table.exactOptional(),
});

const index = briefNumeric({ min: 0, max: MOST_IMAGES }).pipe(z.int());
const target = z.string().min(1).max(LONGEST_TEXT);

export const structuredTextOptions = z.strictObject({
  title: z.string().max(LONGEST_TEXT).exactOptional(),
  language: z
    .string()
    .max(LONGEST_NAME)
    .regex(/^[A-Za-z]{1,8}(?:-[A-Za-z0-9]{1,8})*$/)
    .exactOptional(),
  enable_tagging: flag,
  page_setup: pageSetup.exactOptional(),
  style: style.exactOptional(),
  data_presentation: z.enum(["source", "hierarchy"]).exactOptional(),
  include_unrendered_html: flag,
  plain_text: z.strictObject({ line_handling: z.enum(["reflow", "preserve"]).exactOptional() }).exactOptional(),
  csv: z
    .strictObject({
      first_row_is_header: flag,
      delimiter: z
        .string()
        .regex(/^[^"\r\n]$/)
        .exactOptional(),
      columns: z
        .array(
          z.strictObject({
            index: briefNumeric({ min: 0, max: MOST_COLUMNS - 1 }).pipe(z.int()),
            text_align: z.enum(["left", "center", "right"]).exactOptional(),
            width_weight: weight.exactOptional(),
          }),
        )
        .max(MOST_COLUMNS)
        .exactOptional(),
    })
    .exactOptional(),
  markdown: z
    .strictObject({
      image_alt_text: z.record(target, target).exactOptional(),
      missing_image_alt_text: z.enum(["warn", "fail", "artifact"]).exactOptional(),
      image_sources: z
        .record(target, z.union([z.strictObject({ upload_index: index }), z.strictObject({ image_id_index: index })]))
        .exactOptional(),
    })
    .exactOptional(),
});
export type StructuredTextOptions = z.infer<typeof structuredTextOptions>;
