// The schema of tables that clients send, in the order in which a reader meets their parts: style, cell, row, table.
import * as z from "zod";
import { briefFlag, briefNumeric, color, OPACITY } from "../contract/parameters/loose-json.ts";
import { figureTags } from "../contract/parameters/tags.ts";

/** Range in points. Only a page with a large UserUnit is wider than the maximum, about 350 m. */
const DISTANCE = { min: 0, max: 1_000_000 };
const TEXT_SIZE = { min: 1, max: 100 };
const LARGEST_COUNT = 1_000_000;
const length = briefNumeric(DISTANCE).exactOptional();
const extent = briefNumeric({ ...DISTANCE, min: 0.001 }).exactOptional();
const count = briefNumeric({ min: 1, max: LARGEST_COUNT }).pipe(z.int());
const rgb = color(3, 255).exactOptional();
const cmyk = color(4, 100).exactOptional();

const edge = z
  .object({ width: length, color_rgb: rgb, color_cmyk: cmyk, opacity: briefNumeric(OPACITY).exactOptional() })
  .refine((one) => !(one.color_rgb && one.color_cmyk), { path: ["color_rgb"] })
  .exactOptional();

const style = z
  .object({
    font: z.string().min(1).max(100).exactOptional(),
    text_size: briefNumeric(TEXT_SIZE).exactOptional(),
    text_align: z.enum(["left", "center", "right"]).exactOptional(),
    vertical_align: z.enum(["top", "middle", "bottom"]).exactOptional(),
    ...{ text_color_rgb: rgb, text_color_cmyk: cmyk, background_color_rgb: rgb, background_color_cmyk: cmyk },
    opacity: briefNumeric(OPACITY).exactOptional(),
    padding: z.object({ top: length, right: length, bottom: length, left: length }).exactOptional(),
    border: z.object({ top: edge, right: edge, bottom: edge, left: edge }).exactOptional(),
  })
  .refine((one) => !(one.text_color_rgb && one.text_color_cmyk), { path: ["text_color_rgb"] })
  .refine((one) => !(one.background_color_rgb && one.background_color_cmyk), { path: ["background_color_rgb"] });

const cell = z
  .object({
    text: z.string().exactOptional(),
    image: z
      .object({ image_index: z.int().min(0).default(0), width: extent, height: extent, ...figureTags })
      .exactOptional(),
    ...{ col_span: count.default(1), row_span: count.default(1), min_height: length, fixed_height: length },
    ...{ no_wrap: briefFlag.default(false), is_rtl: briefFlag.exactOptional(), style: style.exactOptional() },
    tag_actual_text: z.string().min(1).exactOptional(),
    tag_structure_type: z.enum(["TH", "TD"]).exactOptional(),
  })
  .refine((one) => one.text === undefined || !one.image, { path: ["image"] })
  .refine((one) => (one.fixed_height ?? DISTANCE.max) >= (one.min_height ?? 0), { path: ["fixed_height"] });

const row = z.object({ cells: z.array(cell), min_height: length, style: style.exactOptional() });
const rows = z.array(row).min(1);

export const tableObject = z
  .object({
    ...{ page: count, x: length, y: briefNumeric(DISTANCE) },
    horizontal_align: z.enum(["left", "center", "right"]).exactOptional(),
    ...{ width: extent, width_percentage: briefNumeric({ min: 0.001, max: 100 }).exactOptional() },
    width_mode: z.enum(["fixed", "relative"]).default("fixed"),
    columns: z
      .array(z.object({ width: extent, style: style.exactOptional() }))
      .min(1)
      .exactOptional(),
    ...{ header_rows: rows.exactOptional(), rows, footer_rows: rows.exactOptional() },
    overflow_behavior: z.enum(["move-row", "split-row", "fail"]).default("move-row"),
    row_split_behavior: z.enum(["split-when-needed", "prefer-next-page"]).default("split-when-needed"),
    ...{ repeat_header_on_overflow: briefFlag.default(false), repeat_footer_on_overflow: briefFlag.default(false) },
    ...{ show_header_on_first_page: briefFlag.default(true), show_footer_on_last_page: briefFlag.default(true) },
    ...{
      page_bottom_margin: briefNumeric(DISTANCE).default(0),
      continuation_page_top_margin: briefNumeric(DISTANCE).default(36),
    },
    ...{ final_page_bottom_margin: length },
    ...{ spacing_before: briefNumeric(DISTANCE).default(0), spacing_after: briefNumeric(DISTANCE).default(0) },
    ...{
      keep_table_block_together: briefFlag.default(false),
      is_rtl: briefFlag.default(false),
      style: style.exactOptional(),
    },
    ...{ tag_is_artifact: briefFlag.exactOptional(), tag_structure_type: z.literal("Table").exactOptional() },
  })
  .refine((one) => one.x !== undefined || one.horizontal_align, { path: ["x"] })
  .refine((one) => one.width === undefined || one.width_percentage === undefined, { path: ["width_percentage"] })
  .refine((one) => one.width_percentage === undefined || one.width_mode === "relative", { path: ["width_mode"] })
  .refine((one) => (one.final_page_bottom_margin ?? DISTANCE.max) >= one.page_bottom_margin, {
    path: ["final_page_bottom_margin"],
  });

export type TableObject = z.infer<typeof tableObject>;
export type RowObject = TableObject["rows"][number];
export type CellObject = RowObject["cells"][number];
export type StyleObject = z.infer<typeof style>;
