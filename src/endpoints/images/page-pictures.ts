// Declares the fields of /png and /jpg for pictures of HTML files and web pages.

import { mayBePdf } from "../../document/contract/media-type.ts";
import type { Input } from "../../document/contract/operation.ts";
import { optional, type Params, parameter } from "../../document/contract/parameter.ts";
import { choice } from "../../document/contract/parameters/choice.ts";
import { number } from "../../document/contract/parameters/number.ts";
import { onOff } from "../../document/contract/parameters/on-off.ts";
import { text } from "../../document/contract/parameters/text.ts";
import { viewport } from "../../document/contract/parameters/web-page.ts";
import { addressIn, SHORTCUT_TYPE } from "../../document/contract/web-url.ts";
import { type HtmlToPictureParams, htmlToPicture } from "../../operations/html-to-picture.ts";
import type { PrepareContext } from "../../service/http/contract/endpoint.ts";
import { wrongType } from "../../service/http/contract/errors.ts";
import { documentTypeOf, typeOfStart } from "../../service/http/requests/document-type.ts";
import { mismatch } from "../../service/http/requests/mismatch.ts";
import { containerJob, type JobPlan } from "../../service/placement/placement.ts";
import { VISIT_FIELDS, visiting } from "../pdf/visit-fields.ts";

export const PICTURE_FIELDS = {
  viewport: parameter("Width and height of the window in CSS pixels (HTML).", viewport, "1280x1024"),
  full_page: parameter("Shows the whole page, not only the window (HTML).", onOff, "on"),
  selector: optional("CSS selector of the only element to show (HTML).", text({ max: 1024 })),
  device_scale: parameter("Pixels of the picture per CSS pixel (HTML).", number({ min: 0.1, max: 4 }), "1"),
  media: parameter("The medium whose styles apply (HTML).", choice(["screen", "print"]), "screen"),
  background: parameter("Fills the page with white where it has no background (HTML).", onOff, "on"),
  ...VISIT_FIELDS,
};

/** Reports whether a document can be a page, alone or with its files in an archive. */
export const mayBePage = (type: string): boolean =>
  ["text/html", "application/xhtml+xml", "application/zip", SHORTCUT_TYPE].includes(type);

/** Returns the operation that a file with these first bytes needs in the container. */
export const prewarmForPage = (start: Uint8Array, name: string) =>
  ["html", "web-page"].includes(typeOfStart(start, name)) ? htmlToPicture : undefined;

/** @throws ServiceError 400 for an archive without a page */
function requirePdf({ name, size, detectedType: type }: Input): void {
  if (type !== undefined && !mayBePdf(type)) throw mismatch({ name, size, type }, PAGES_AND_PDF);
}

/** The documents that the endpoints take. */
export const PAGES_AND_PDF = "PDF, HTML or a zip archive with index.html";

type Values = Params<typeof PICTURE_FIELDS> & Pick<HtmlToPictureParams, "format" | "quality">;

/** Returns the job for a page; undefined for another document. @throws ServiceError 400 */
export async function pictureJob(
  values: Values,
  { inputs: [input] }: Pick<PrepareContext, "inputs">,
): Promise<JobPlan | undefined> {
  const { format, quality, full_page, selector, device_scale, media, background } = values;
  const params: HtmlToPictureParams = {
    ...{ format, viewport: values.viewport, fullPage: full_page, deviceScale: device_scale, media, background },
    ...(quality === undefined ? {} : { quality }),
    ...(selector === undefined ? {} : { selector }),
    visit: visiting(values),
  };
  if (!input || input.detectedType === "application/pdf") return undefined;
  switch (await documentTypeOf(input)) {
    case "html":
      return containerJob(htmlToPicture, params);
    case "html-archive":
      return containerJob(htmlToPicture, { ...params, isArchive: true });
    case "web-page": {
      const address = addressIn(new TextDecoder().decode(await input.bytes()));
      if (!address) throw wrongType();
      return containerJob(htmlToPicture, { ...params, ...address });
    }
    default:
      requirePdf(input);
      return undefined;
  }
}
