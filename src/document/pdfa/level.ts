// The PDF/A levels that a client can request (ISO 19005-1, -2, -3).
import * as z from "zod";

/**
 * A part of ISO 19005 and a conformance level: b preserves the appearance, u also requires Unicode values for all text.
 */
export interface PdfaLevel {
  readonly part: 1 | 2 | 3;
  readonly conformance: "b" | "u";
}

export const pdfaLevelSchema: z.ZodType<PdfaLevel> = z.object({
  part: z.union([z.literal(1), z.literal(2), z.literal(3)]),
  conformance: z.enum(["b", "u"]),
});

/** Returns the name of a level, such as `PDF/A-2b`. */
export const levelName = ({ part, conformance }: { readonly part: number; readonly conformance: string }): string =>
  `PDF/A-${part}${conformance}`;
