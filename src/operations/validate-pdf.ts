// Declares the operation that validates a PDF against PDF/A or PDF/UA. The container runs it, because the container has
// the validator. Yields one output: the report in JSON, or the PDF with a mark for each place that breaks a rule.
import type { Box } from "../document/content/matrix.ts";
import { declareOperation } from "../document/contract/operation.ts";
import { type JsonSchema, optional, type Params, parameter } from "../document/contract/parameter.ts";
import { choice } from "../document/contract/parameters/choice.ts";

/** The profiles of the validator. */
export const VALIDATED_PROFILES = [
  ...(["PDF/A-1a", "PDF/A-1b", "PDF/A-2a", "PDF/A-2b", "PDF/A-2u", "PDF/A-3a", "PDF/A-3b", "PDF/A-3u"] as const),
  ...(["PDF/A-4", "PDF/A-4e", "PDF/A-4f", "PDF/UA-1", "PDF/UA-2"] as const),
] as const;

const parameters = {
  profile: optional(
    "The standard; the PDF/A that the PDF declares if left out, else its PDF/UA, else PDF/A-2b.",
    choice(VALIDATED_PROFILES),
  ),
  outputType: parameter(
    "json for the report itself, file for a file that has it, pdf for the PDF with marks.",
    choice(["json", "file", "pdf"]),
    "json",
  ),
};
export type ValidatePdfParams = Params<typeof parameters>;

export const validatePdf = declareOperation({ name: "validate-pdf", parameters });

/** A place in a PDF that breaks a rule. */
export interface BrokenPlace {
  /** Page number, from 1, if the place is on a page. */
  readonly page?: number;
  /** Left, lower, right and upper edge in points from the lower left corner of the page as viewers show it. */
  readonly box?: Box;
  /** Number of the nearest object. */
  readonly object?: number;
  /** The validator's path from the document to the place. */
  readonly path: string;
}

export interface RuleReport {
  readonly specification: string;
  readonly clause: string;
  readonly test: number;
  readonly description: string;
  readonly count: number;
  readonly places: readonly BrokenPlace[];
}

export interface ValidationReport {
  readonly profile: string;
  /** Levels of PDF/A and PDF/UA that the PDF declares. */
  readonly claims: readonly string[];
  readonly compliant: boolean;
  readonly rules: readonly RuleReport[];
}

const COUNT: JsonSchema = { type: "integer", minimum: 1 };
const TEXT: JsonSchema = { type: "string" };
const BOX: JsonSchema = { type: "array", items: { type: "number" }, minItems: 4, maxItems: 4 };

/** Schemas of the members of a {@link ValidationReport}. */
export const VALIDATION_SCHEMAS: Readonly<Record<keyof ValidationReport, JsonSchema>> = {
  profile: { type: "string", enum: VALIDATED_PROFILES },
  claims: { type: "array", items: TEXT },
  compliant: { type: "boolean" },
  rules: {
    type: "array",
    items: {
      type: "object",
      properties: {
        ...{ specification: TEXT, clause: TEXT, test: COUNT, description: TEXT, count: COUNT },
        places: {
          type: "array",
          items: {
            type: "object",
            properties: { page: COUNT, box: BOX, object: COUNT, path: TEXT },
            required: ["path"],
          },
        },
      },
      required: ["specification", "clause", "test", "description", "count", "places"],
    },
  },
};
