// What happens to PDFs, in the order in which Gotenberg does it: the fields that most routes share.

import { LIMITS } from "../document/contract/limits.ts";
import type { Restriction } from "../document/encryption/permissions.ts";
import {
  choice,
  differs,
  flag,
  integer,
  isObject,
  json,
  object,
  objects,
  ranges,
  readTable,
  refused,
  text,
  type Values,
} from "./fields.ts";
import { markSteps } from "./marks.ts";
import { metadataOf } from "./metadata.ts";
import type { ForeignForm, StepBody } from "./plan.ts";

const PDFA = ["PDF/A-1a", "PDF/A-1b", "PDF/A-2a", "PDF/A-2b", "PDF/A-2u", "PDF/A-3a", "PDF/A-3b", "PDF/A-3u"] as const;

const SPLIT_FIELDS = {
  splitMode: choice(["intervals", "pages"], ""),
  splitSpan: text,
  splitUnify: flag(),
};
export const FORMAT_FIELDS = { pdfa: differs(choice(PDFA, "")), pdfua: refused(flag()) };
export const METADATA_FIELDS = { metadata: differs(object) };
export const ENCRYPTION_FIELDS = {
  userPassword: differs(text),
  ownerPassword: differs(text),
  allowPrinting: flag(true),
  allowCopying: flag(true),
  allowModifying: flag(true),
  allowAnnotating: flag(true),
  allowFillingForms: flag(true),
  allowAssembling: flag(true),
};
export const EMBED_FIELDS = {
  embedsMetadata: json(
    (value): value is Readonly<Record<string, Readonly<Record<string, string>>>> =>
      isObject(value) && Object.values(value).every(isObject),
    "a JSON object by file names",
  ),
};
export const MARK_FIELDS = {
  watermarkSource: differs(text),
  watermarkExpression: text,
  watermarkPages: text,
  watermarkOptions: differs(text),
  stampSource: differs(text),
  stampExpression: text,
  stampPages: text,
  stampOptions: differs(text),
};
export const ROTATION_FIELDS = { rotateAngle: choice(["90", "180", "270"], ""), rotatePages: ranges };
export const FLATTENING_FIELDS = { flatten: flag() };
export const OPTIMIZATION_FIELDS = {
  optimizeImages: differs(flag()),
  imageQuality: refused(integer(80, { min: 1, max: 100 })),
};
const FACTURX_FIELDS = {
  facturxConformanceLevel: refused(text),
  facturxDocumentType: refused(text),
  facturxVersion: refused(text),
};
export const BOOKMARK_FIELDS = {
  bookmarks: differs(objects),
  autoIndexBookmarks: differs(flag()),
  titleBookmarks: refused(flag()),
};

/** The fields that all routes with a PDF as their result have. */
export const RESULT_FIELDS = {
  ...{ ...SPLIT_FIELDS, ...FORMAT_FIELDS, ...METADATA_FIELDS, ...ENCRYPTION_FIELDS, ...EMBED_FIELDS },
  ...{ ...MARK_FIELDS, ...ROTATION_FIELDS, ...OPTIMIZATION_FIELDS, ...FACTURX_FIELDS },
};

export const FLATTENING: readonly StepBody[] = [{ "flattened-annotations-pdf": {} }, { "flattened-forms-pdf": {} }];
export const OPTIMIZING: StepBody = { "compressed-pdf": { compression_level: "medium" } };

interface ResultSteps {
  readonly steps: readonly StepBody[];
  /** True if a document becomes several. */
  readonly isSplit: boolean;
}

interface ResultOptions {
  /** Steps before metadata, such as bookmarks. @default none */
  readonly before?: readonly StepBody[];
  /** True if the route does not split. @default false */
  readonly isWhole?: boolean;
}

/** Returns the steps for the fields of all results. */
export function resultSteps(form: ForeignForm, { before = [], isWhole = false }: ResultOptions = {}): ResultSteps {
  const { errors } = form;
  const values = readTable({ ...RESULT_FIELDS, ...FLATTENING_FIELDS }, form.values, errors);
  const embeds = form.filesOf("embeds");
  if (form.filesOf("facturxXml").length > 0) errors.add("form file 'facturxXml' is not supported");
  const { pdfa, userPassword, flatten: isFlattened, optimizeImages: isOptimized } = values;
  if (pdfa && userPassword) errors.add("PDF/A format is incompatible with encryption");
  if (pdfa && embeds.length > 0 && !pdfa.startsWith("PDF/A-3")) {
    errors.add(`PDF format '${pdfa}' does not support embedded files; only PDF/A-3 variants allow attachments`);
  }
  const splitting = isWhole ? [] : splitSteps(values, errors);
  const steps = [
    ...splitting,
    ...markSteps(form, "watermark"),
    ...markSteps(form, "stamp"),
    ...rotation(values),
    ...(isFlattened ? FLATTENING : []),
    ...(isOptimized ? [OPTIMIZING] : []),
    ...(pdfa ? [{ pdfa: { output_type: pdfa } }] : []),
    ...before,
    ...metadataSteps(values.metadata, errors),
    ...embeds.map(({ name }) => embedding(name, values.embedsMetadata?.[name])),
    ...encryption(values, errors),
  ];
  const isSplit = splitting.length > 0 && !(values.splitMode === "pages" && values.splitUnify);
  return { steps, isSplit };
}

function splitSteps(values: Values<typeof SPLIT_FIELDS>, errors: ForeignForm["errors"]): readonly StepBody[] {
  const { splitMode, splitSpan, splitUnify: isUnified } = values;
  if (splitMode === "") return [];
  const wrong = (expected: string) =>
    errors.add(`form field 'splitSpan' is invalid (got '${splitSpan}', expected ${expected})`);
  if (splitMode === "intervals") {
    if (isUnified) errors.add("form field 'splitUnify' is invalid (unify is not available for split mode 'intervals')");
    const pages = /^\s*\d{1,5}\s*$/.test(splitSpan) ? Number(splitSpan) : 0;
    const most = LIMITS.selectedPages;
    if (pages < 1 || pages > most) wrong(`a whole number from 1 to ${most}`);
    return [{ "split-pdf": { pages_per_file: pages } }];
  }
  const span = ranges.read(splitSpan);
  if (span === undefined) wrong(ranges.expected);
  const selection: StepBody = { "split-pdf": { pages: [span ?? ""] } };
  return isUnified ? [selection] : [selection, { "split-pdf": {} }];
}

export function rotation({
  rotateAngle: angle,
  rotatePages: pages,
}: Values<typeof ROTATION_FIELDS>): readonly StepBody[] {
  return angle === "" ? [] : [{ "rotated-pdf": { angle, ...(pages ? { pages } : {}) } }];
}

export function metadataSteps(
  given: Values<typeof METADATA_FIELDS>["metadata"],
  errors: ForeignForm["errors"],
): readonly StepBody[] {
  if (!given || Object.keys(given).length === 0) return [];
  const metadata = metadataOf(given, errors);
  return Object.keys(metadata).length === 0 ? [] : [{ "pdf-with-metadata": { metadata } }];
}

export const embedding = (name: string, about: Readonly<Record<string, string>> = {}): StepBody => ({
  "pdf-with-added-attachment": {
    file_to_attach: name,
    ...(about.mimeType ? { mime_type: about.mimeType } : {}),
    ...(about.relationship ? { relationship: about.relationship.toLowerCase() } : {}),
  },
});

const RESTRICTIONS: Readonly<Record<string, readonly Restriction[]>> = {
  allowPrinting: ["print_low", "print_high"],
  allowCopying: ["copy_content"],
  allowModifying: ["edit_content"],
  allowAnnotating: ["edit_annotations"],
  allowFillingForms: ["edit_fill_and_sign_form_fields"],
  allowAssembling: ["edit_document_assembly"],
};

export function encryption(
  values: Values<typeof ENCRYPTION_FIELDS>,
  errors: ForeignForm["errors"],
): readonly StepBody[] {
  const { userPassword: user, ownerPassword: owner } = values;
  const restrictions = Object.entries(RESTRICTIONS).flatMap(([name, forbidden]) =>
    values[name as keyof typeof values] === false ? forbidden : [],
  );
  if (restrictions.length > 0 && (owner === "" || owner === user)) {
    errors.add("permission restrictions require an 'ownerPassword' other than the 'userPassword'");
  }
  const isRestricted = owner !== "" && owner !== user;
  const restricting = { new_permissions_password: owner, ...(restrictions.length > 0 ? { restrictions } : {}) };
  return [
    ...(isRestricted ? [{ "restricted-pdf": restricting }] : []),
    ...(user === ""
      ? []
      : [
          {
            "encrypted-pdf": {
              new_open_password: user,
              ...(isRestricted ? { current_permissions_password: owner } : {}),
            },
          },
        ]),
  ];
}
