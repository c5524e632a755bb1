// Web pages and HTML files to PDF and to pictures: the fields of /forms/chromium.

import {
  choice,
  differs,
  duration,
  flag,
  headerTexts,
  ignored,
  integer,
  length,
  names,
  number,
  objects,
  parametersOf,
  ranges,
  readTable,
  refused,
  statuses,
  takes,
  text,
  texts,
  type Values,
} from "./fields.ts";
import type { PageSettings } from "./page-endpoints.ts";
import type { ForeignForm } from "./plan.ts";

/** The fields of a visit. */
const VISIT_FIELDS = {
  waitDelay: duration,
  waitWindowStatus: text,
  waitForExpression: text,
  waitForSelector: differs(text),
  cookies: objects,
  userAgent: takes(text, "user_agent"),
  extraHttpHeaders: differs(headerTexts),
  emulatedMediaType: takes(choice(["screen", "print"], ""), "media"),
  emulatedMediaFeatures: refused(texts),
  failOnHttpStatusCodes: differs(statuses),
  failOnResourceHttpStatusCodes: differs(statuses),
  ignoreResourceHttpStatusDomains: refused(names),
  failOnResourceLoadingFailed: flag(),
  failOnConsoleExceptions: flag(),
  skipNetworkIdleEvent: ignored(flag(true)),
  skipNetworkAlmostIdleEvent: ignored(flag(true)),
  omitBackground: flag(),
};

export const PAGE_FIELDS = {
  ...VISIT_FIELDS,
  landscape: flag(),
  printBackground: takes(flag(), "background", (value) => (value ? "on" : "off")),
  scale: takes(number(1, { min: 0.1, max: 2 }), "scale", String),
  singlePage: flag(),
  paperWidth: length(8.5),
  paperHeight: length(11),
  marginTop: length(0.39),
  marginBottom: length(0.39),
  marginLeft: length(0.39),
  marginRight: length(0.39),
  nativePageRanges: takes(ranges, "pages"),
  preferCssPageSize: differs(flag()),
  generateDocumentOutline: differs(flag()),
  generateTaggedPdf: differs(flag()),
};

export const PICTURE_FIELDS = {
  ...VISIT_FIELDS,
  width: integer(800, { min: 16, max: 8192 }),
  height: integer(600, { min: 16, max: 8192 }),
  clip: takes(flag(), "full_page", (value) => (value ? "off" : "on")),
  selector: takes(text, "selector"),
  format: choice(["png", "jpeg", "webp"], "png"),
  quality: integer(100, { min: 0, max: 100 }),
  optimizeForSpeed: ignored(flag()),
  deviceScaleFactor: takes(number(1, { min: 0.1, max: 4 }), "device_scale", String),
};

export const URL_FIELDS = { url: text };

/** Minimum width and height between the margins, in points, as on /pdf. */
const MIN_ROOM = 9;

type Body = Record<string, unknown>;

/** Returns the fields of /pdf, and the paper. @param isUrl true for the address of a page, false for HTML */
export async function printing(form: ForeignForm, isUrl: boolean): Promise<Body> {
  const { errors } = form;
  const values = readTable(PAGE_FIELDS, form.values, errors);
  const { landscape, printBackground, omitBackground, marginTop, marginRight, marginBottom, marginLeft } = values;
  if (omitBackground && !printBackground) errors.add("omitBackground requires printBackground set to true");
  const [short, long] = [values.paperWidth, values.paperHeight];
  const paper = landscape ? { width: long, height: short } : { width: short, height: long };
  const room = Math.min(paper.width - marginLeft - marginRight, paper.height - marginTop - marginBottom);
  if (room < MIN_ROOM)
    errors.add("Chromium does not handle the provided settings; please check for aberrant form values");
  const settings: PageSettings = {
    paper,
    margin: { top: marginTop, right: marginRight, bottom: marginBottom, left: marginLeft },
    hasOwnSize: values.preferCssPageSize,
    ...(values.singlePage ? { isOneSheet: true } : {}),
  };
  const [header_html, footer_html] = [await form.content("header.html"), await form.content("footer.html")];
  return {
    ...parametersOf(PAGE_FIELDS, values),
    ...visiting(values, form, isUrl),
    ...{ page_settings: settings, compression: "lossless", downsample: "off" },
    ...(values.generateDocumentOutline || values.generateTaggedPdf ? { tagged_pdf: "on" } : {}),
    ...(header_html ? { header_html } : {}),
    ...(footer_html ? { footer_html } : {}),
  };
}

/** Returns the name of the endpoint for a picture, and its fields. */
export function picturing(form: ForeignForm, isUrl: boolean): readonly [string, Body] {
  const values = readTable(PICTURE_FIELDS, form.values, form.errors);
  const { width, height, quality } = values;
  const body = {
    ...parametersOf(PICTURE_FIELDS, values),
    ...visiting(values, form, isUrl),
    viewport: `${width}x${height}`,
    ...(values.omitBackground ? { background: "off" } : {}),
  };
  if (values.format === "jpeg") return ["jpg", { ...body, quality: String(Math.max(1, quality)) }];
  const settings: PageSettings = { format: "webp" };
  return ["png", values.format === "webp" ? { ...body, page_settings: settings } : body];
}

function visiting(values: Values<typeof VISIT_FIELDS>, { errors }: ForeignForm, isUrl: boolean): Body {
  const { cookies, extraHttpHeaders: headers } = values;
  if (headers && !isUrl && Object.keys(headers).length > 0) {
    errors.add("form field 'extraHttpHeaders' is not supported without a URL");
  }
  if (Object.values(headers ?? {}).some((value) => /;\s*scope\b/i.test(value))) {
    errors.add("form field 'extraHttpHeaders' is not supported with a scope");
  }
  const fail_on = [
    ...(values.failOnConsoleExceptions ? ["console_errors"] : []),
    ...(values.failOnResourceLoadingFailed ? ["missing_resources"] : []),
    ...(values.failOnResourceHttpStatusCodes?.length ? ["status_errors"] : []),
  ];
  return {
    ...(cookies ? { cookies: cookies.map(cookieOf) } : {}),
    ...(headers && isUrl ? { headers } : {}),
    ...(fail_on.length > 0 ? { fail_on: fail_on.join(",") } : {}),
    ...waiting(values, errors),
  };
}

/** Clients write SameSite in any case, and leave members empty. */
function cookieOf({ sameSite, ...cookie }: Readonly<Record<string, unknown>>): Body {
  const word = typeof sameSite === "string" ? sameSite.toLowerCase() : "";
  const filled = Object.entries(cookie).filter(([, value]) => value !== "" && value !== null);
  return {
    ...Object.fromEntries(filled),
    ...(word === "" ? {} : { sameSite: word.charAt(0).toUpperCase() + word.slice(1) }),
  };
}

function waiting(values: Values<typeof VISIT_FIELDS>, errors: ForeignForm["errors"]): Body {
  const {
    waitDelay: delay,
    waitWindowStatus: status,
    waitForExpression: expression,
    waitForSelector: selector,
  } = values;
  const conditions = [
    ...(status ? [`window.status === ${JSON.stringify(status)}`] : []),
    ...(expression ? [`(${expression})`] : []),
    ...(selector ? [`document.querySelector(${JSON.stringify(selector)}) !== null`] : []),
  ];
  if (delay > 0 && conditions.length > 0) errors.add("form field 'waitDelay' is not supported with another condition");
  if (delay > 0) return { wait_for: String(delay) };
  return conditions.length === 0 ? {} : { wait_for: `js:${conditions.join(" && ")}` };
}
