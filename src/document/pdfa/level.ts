// The PDF/A levels that a client can request (ISO 19005-1 to -4).
import * as z from "zod";

/**
 * A part of ISO 19005 and a conformance level: b preserves the appearance, u also requires Unicode values for all text,
 * a also requires tags.
 */
export interface PdfaLevel {
  readonly part: 1 | 2 | 3;
  readonly conformance: "a" | "b" | "u";
}

export const pdfaLevelSchema: z.ZodType<PdfaLevel> = z.object({
  part: z.union([z.literal(1), z.literal(2), z.literal(3)]),
  conformance: z.enum(["a", "b", "u"]),
});

/** A level, or PDF/A-4, which is made of a file that conforms to PDF/A-2u. */
export type TargetLevel = PdfaLevel | { readonly part: 4; readonly conformance: "" };

export const targetLevelSchema: z.ZodType<TargetLevel> = z.union([
  pdfaLevelSchema,
  z.object({ part: z.literal(4), conformance: z.literal("") }),
]);

/** Reports whether all text must have Unicode values. */
export const needsUnicode = ({ conformance }: PdfaLevel): boolean => conformance !== "b";

interface NamedLevel {
  readonly part: number;
  readonly conformance: string;
  /** @default "A" */
  readonly family?: "A" | "UA";
}

/** Returns the name of a level, such as `PDF/A-2b` or `PDF/UA-1`. */
export const levelName = ({ family = "A", part, conformance }: NamedLevel): string =>
  `PDF/${family}-${part}${conformance}`;

/** Returns the level with a name that {@link levelName} returns. */
export function levelNamed(name: string): Required<NamedLevel> {
  const [, isUniversal, part, conformance] = /^PDF\/(U?)A-(\d)(\w?)$/.exec(name)!;
  return { family: isUniversal ? "UA" : "A", part: Number(part), conformance: conformance! };
}
