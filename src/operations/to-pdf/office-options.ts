// Declares the options of Office documents, and of the sheets and texts among them.

import type * as z from "zod";
import { extra, optional, schemaOf } from "../../document/contract/parameter.ts";
import { choice } from "../../document/contract/parameters/choice.ts";
import { languageTag } from "../../document/contract/parameters/language.ts";
import { onOff } from "../../document/contract/parameters/on-off.ts";
import { orientation } from "../../document/contract/parameters/paper.ts";
import { currentPassword, list, text } from "../../document/contract/parameters/text.ts";

/** Maximum length of a sheet's name: those of Excel have 31 characters, those of OpenDocument can be longer. */
const LONGEST_NAME = 255;

/** A language whose formats are known. */
const locale = { ...languageTag, value: languageTag.value.refine(hasFormats) };

export const OFFICE_OPTIONS = {
  sheets: optional(
    "The sheets to convert, each by its name or its number from 1; all that are not hidden if left out (spreadsheets).",
    list(text({ max: LONGEST_NAME })),
  ),
  sheet_fit: extra(
    "Scale of sheets: as_printed for the saved print setup, page_width to fit all columns on a page, one_page to fit " +
      "the whole sheet on a page (spreadsheets).",
    choice(["as_printed", "page_width", "one_page"]),
    "as_printed",
  ),
  headings: optional("Prints row numbers and column letters; as saved if left out (spreadsheets).", onOff),
  grid: optional("Prints the lines between cells; as saved if left out (spreadsheets).", onOff),
  refresh_fields: extra("Updates fields and tables of contents first (text documents).", onOff, "off"),
  tracked_changes: extra(
    "Tracked changes: as_saved for the view in which the document was saved (text documents).",
    choice(["as_saved", "accepted", "rejected"]),
    "as_saved",
  ),
  comments: extra(
    "Comments: annotations makes them annotations of the PDF, end lists them after the text or the sheet (Office " +
      "documents).",
    choice(["none", "annotations", "end"]),
    "none",
  ),
  locale: optional(
    "Language of dates, numbers and texts for which the document declares none, such as de-DE (Office documents).",
    locale,
  ),
};

const parameters = {
  ...OFFICE_OPTIONS,
  password: optional("The password that opens the document.", currentPassword),
  page_orientation: optional("Orientation of the paper of sheets.", orientation),
};

/** Validates the options of a job. Those that are left out are as the document says. */
export const officeOptions = schemaOf(parameters);

export const OPTION_NAMES = Object.keys(parameters);

export type OfficeOptions = z.infer<typeof officeOptions>;

function hasFormats(tag: string): boolean {
  try {
    return Intl.DateTimeFormat.supportedLocalesOf(tag).length > 0;
  } catch {
    return false;
  }
}
