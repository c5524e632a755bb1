// Formats notices as sentences. The response member `notices` contains one sentence for each kind of loss.
import { mergeNotices, type Notice, type NoticeCode } from "../../../document/contract/notice.ts";
import { hasSameWidths } from "../../../document/fonts/replacements/font-names.ts";
import { stringItem } from "./string-item.ts";

const SHOWN_SUBJECTS = 10;

/** Maximum length of the header. Clients and proxies limit the total of all headers, to 8 KiB or more. */
const HEADER_LENGTH = 4096;

/** Returns sentences without a final period; empty without losses. */
export const noticeSentences = (notices: readonly Notice[]): string[] =>
  mergeNotices(notices).map((notice) => SENTENCES[notice.code](notice));

/**
 * Returns the value of the header Notices, a list of strings (RFC 9651); empty without losses. If the header would be
 * too long, omits the names in the sentences.
 */
export function noticesHeader(notices: readonly Notice[]): string {
  const header = listOfStrings(noticeSentences(notices));
  if (header.length <= HEADER_LENGTH) return header;
  return listOfStrings(noticeSentences(notices.map(({ code, count }) => ({ code, count }))));
}

const listOfStrings = (sentences: readonly string[]): string => sentences.map(stringItem).join(", ");

const SENTENCES: Readonly<Record<NoticeCode, (notice: Notice) => string>> = {
  "signatures-removed": ({ count }) => `${counted(count, "digital signature was", "digital signatures were")} removed`,
  "usage-rights-removed": () => "usage rights for Adobe Reader were removed",
  "protection-removed": () => "protection by an owner password was removed",
  "xfa-removed": () => "the XFA form was removed, its AcroForm was kept",
  "attachments-removed": (notice) =>
    `${counted(notice.count, "attachment was", "attachments were")} removed${listed(notice)}`,
  "scripts-removed": () => "JavaScript was removed",
  "actions-removed": ({ count }) => `${counted(count, "action was", "actions were")} removed`,
  "multimedia-removed": ({ count }) =>
    `${counted(count, "multimedia annotation was", "multimedia annotations were")} removed`,
  "fields-drawn": (notice) =>
    `form fields below annotations were drawn, too, on ${counted(notice.count, "page", "pages")}${listed(notice)}`,
  "annotations-drawn": (notice) =>
    `annotations below form fields were drawn, too, on ${counted(notice.count, "page", "pages")}${listed(notice)}`,
  "transfers-applied": ({ count }) => `transfer functions of ${counted(count, "page", "pages")} were applied to colors`,
  "transfers-removed": ({ count }) => `${counted(count, "transfer function was", "transfer functions were")} removed`,
  "chunks-left-out": ({ count }) => `${counted(count, "inserted document was", "inserted documents were")} left out`,
  "links-left-out": (notice) =>
    `${counted(notice.count, "symbolic link was", "symbolic links were")} left out${listed(notice)}`,
  "fonts-substituted": (notice) => `${counted(notice.count, "font was", "fonts were")} substituted${listed(notice)}`,
  "pages-pictured": ({ count, subjects = [] }) =>
    count === 1 && subjects[0]
      ? `page ${subjects[0].name} became a picture`
      : `${counted(count, "page", "pages")} became pictures${listed({ count, subjects })}`,
  "claims-removed": (notice) =>
    `${counted(notice.count, "claim of conformance was", "claims of conformance were")} removed${listed(notice)}`,
  "claims-suspended": (notice) =>
    `${counted(notice.count, "claim of conformance is", "claims of conformance are")} untrue while the document is encrypted${listed(notice)}`,
  "properties-removed": (notice) =>
    `${counted(notice.count, "metadata property was", "metadata properties were")} removed${listed(notice)}`,
  "damaged-content-kept": ({ count }) => `damaged content of ${counted(count, "page", "pages")} was passed on`,
  "characters-missing": ({ count }) =>
    `${counted(count, "form field has", "form fields have")} characters that no font contains`,
  "values-without-field": (notice) => `${counted(notice.count, "value has", "values have")} no field${listed(notice)}`,
  "values-not-offered": (notice) =>
    `${counted(notice.count, "field does", "fields do")} not offer the value and stayed as before${listed(notice)}`,
  "calculations-not-run": () => "calculations of the form were not run",
  "xfa-not-drawn": () => "only viewers of XFA forms show the values",
  "glyphs-missing": ({ count }) =>
    `${counted(count, "character of the added text is", "characters of the added text are")} in no font`,
  "undecodable-removed": ({ count }) =>
    `the content of ${counted(count, "stream", "streams")} that cannot be decoded was removed`,
  "cells-cut": ({ count }) =>
    `${counted(count, "table cell is", "table cells are")} too small for the content, which is cut off`,
  "marked-annotations-removed": ({ count }) =>
    `${counted(count, "annotation or form field under marks was", "annotations and form fields under marks were")} removed`,
  "nothing-marked": () => "nothing was redacted, because the document has no marks and no recorded redactions",
  "only-areas-redacted": () =>
    "only the marked areas were redacted, because the document has no recorded redactions to search for elsewhere",
  "patterns-kept": (notice) =>
    `patterns with images or text were kept under marks on ${counted(notice.count, "page", "pages")}${listed(notice)}`,
  "no-matches": () => "nothing matches the redactions",
  "matches-elsewhere": ({ count }) =>
    `${counted(count, "match outside of pages", "matches outside of pages")} will be removed with the marked text`,
  "matches-kept": ({ count }) =>
    `${counted(count, "text that matches was", "texts that match were")} not marked and stayed`,
  "pages-not-recognized": (notice) =>
    `the text of ${counted(notice.count, "page", "pages")} was not recognized, or not in time${listed(notice)}`,
  "text-unreadable": (notice) =>
    `text without known characters was not searched on ${counted(notice.count, "page", "pages")}${listed(notice)}`,
  "pixels-unread": (notice) =>
    `images, whose pixels are not read, are all that ${counted(notice.count, "page shows", "pages show")}${listed(notice)}`,
  "opacity-left-out": ({ count }) =>
    `${counted(count, "JPEG or JPEG 2000 image", "JPEG or JPEG 2000 images")} became files without their masks`,
  "images-unreadable": ({ count }) => `${counted(count, "image", "images")} could not be read`,
  "no-tables": () => "no tables were found, so that a sheet has the lines of text",
  "images-not-loaded": ({ count }) => `${counted(count, "image was", "images were")} not loaded`,
  "alternative-texts-missing": ({ count }) => `${counted(count, "image has", "images have")} no alternative text`,
  "attachments-not-converted": (notice) =>
    `${counted(notice.count, "attachment", "attachments")} could not be converted${listed(notice)}`,
  "frames-left-out": ({ count }) =>
    `${counted(count, "further frame or picture of the file was", "further frames or pictures of the file were")} left out`,
  "settings-ignored": (notice) =>
    `${counted(notice.count, "setting of the job options was", "settings of the job options were")} ignored${listed(notice)}`,
  "columns-cut": () => "the table was too large to wrap its text, which is cut off at the edges of columns",
  "no-text": () => "the document has no text",
  "pages-recognized": (notice) =>
    `the text of ${counted(notice.count, "page", "pages")} was recognized (OCR)${listed(notice)}`,
};

const counted = (count: number, one: string, several: string): string => `${count} ${count === 1 ? one : several}`;

function listed({ count, subjects = [] }: Pick<Notice, "count" | "subjects">): string {
  const shown = subjects.slice(0, SHOWN_SUBJECTS).map(({ name, replacedBy }) => {
    if (replacedBy === undefined) return name;
    return `${name} (replaced by ${replacedBy}${hasSameWidths(name, replacedBy) ? ", same widths" : ""})`;
  });
  if (shown.length === 0) return "";
  const rest = count > shown.length ? ` and ${count - shown.length} more` : "";
  return `: ${shown.join(", ")}${rest}`;
}
