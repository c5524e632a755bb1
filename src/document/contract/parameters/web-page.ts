// Parameters of a visit to a web page: cookies, headers, waiting, checks, and the size of the window.
import * as z from "zod";
import { LIMITS } from "../limits.ts";
import type { Kind } from "../parameter.ts";
import { json } from "./json.ts";
import { words } from "./text.ts";

/** A token (RFC 9110, 5.6.2): the name of a header or a cookie. */
const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,256}$/;
const COOKIE_VALUE = /^[\x20-\x3a\x3c-\x7e]*$/;
const HEADER_VALUE = /^[\x20-\x7e\x80-\uffff]*$/;
const DOMAIN = /^\.?[A-Za-z0-9_.:[\]-]{1,253}$/;
const PATH = /^\/[\x20-\x3a\x3c-\x7e]*$/;
const MAX_VALUE_LENGTH = LIMITS.pageHeaderLength;

/** Headers that describe the connection or the message itself (RFC 9110, 7.6.1), and cookies, which have a parameter. */
const RESERVED =
  /^(connection|content-length|content-encoding|cookie|expect|host|keep-alive|proxy-.*|sec-.*|te|trailer|transfer-encoding|upgrade|via)$/i;

const cookie = z.strictObject({
  name: z.string().regex(TOKEN),
  value: z.string().max(MAX_VALUE_LENGTH).regex(COOKIE_VALUE),
  domain: z.string().regex(DOMAIN),
  path: z.string().max(1024).regex(PATH).exactOptional(),
  secure: z.boolean().exactOptional(),
  httpOnly: z.boolean().exactOptional(),
  sameSite: z.enum(["Strict", "Lax", "None"]).exactOptional(),
});
export type PageCookie = z.infer<typeof cookie>;

/** A JSON list of cookies. A browser sends a cookie only to the hosts of its domain. */
export const cookies: Kind<readonly PageCookie[]> = {
  ...json(z.array(cookie).max(LIMITS.pageCookies).readonly(), { name: "Cookies" }),
  isSecret: true,
};

/** A JSON object of request headers, by name. */
export const requestHeaders: Kind<Readonly<Record<string, string>>> = {
  ...json(
    z
      .record(
        z
          .string()
          .regex(TOKEN)
          .refine((name) => !RESERVED.test(name)),
        z.string().max(MAX_VALUE_LENGTH).regex(HEADER_VALUE),
      )
      .refine((headers) => Object.keys(headers).length <= LIMITS.pageHeaders),
    { name: "RequestHeaders" },
  ),
  isSecret: true,
};

const USER_AGENT = /^[\x20-\x7e]{1,512}$/;

export const userAgent: Kind<string> = {
  ...{ value: z.string().regex(USER_AGENT), control: "text", read: (given) => given.trim() },
  schema: { type: "string", pattern: USER_AGENT.source },
};

const waitCondition = z.union([
  z.object({ milliseconds: z.int().min(0).max(LIMITS.pageWaitMs) }),
  z.object({ expression: z.string().min(1).max(4096) }),
  z.object({ selector: z.string().min(1).max(1024) }),
]);

/** A condition that a page must meet before it is complete. */
export type WaitCondition = z.infer<typeof waitCondition>;

/** Starts a JavaScript expression. As a selector, it would be an element `js` with a pseudo-class. */
const SCRIPT = "js:";
const MILLISECONDS = /^(\d{1,6})(?:ms)?$/;

/** Milliseconds, a JavaScript expression after `js:`, or a CSS selector. */
export const waitFor: Kind<WaitCondition> = {
  value: waitCondition,
  schema: { type: "string", examples: ["#chart svg", "js:window.isReady", "500"] },
  control: "text",
  hint: `Write a CSS selector, js: and an expression, or up to ${LIMITS.pageWaitMs} milliseconds.`,
  read(given) {
    const text = given.trim();
    const [, milliseconds] = MILLISECONDS.exec(text) ?? [];
    if (milliseconds !== undefined) return { milliseconds: Number(milliseconds) };
    return text.startsWith(SCRIPT) ? { expression: text.slice(SCRIPT.length).trim() } : { selector: text };
  },
};

const FAULTS = ["console_errors", "missing_resources", "status_errors"] as const;

/** A fault of a page that a client does not accept. */
export type PageFault = (typeof FAULTS)[number];
export const failOn: Kind<readonly PageFault[]> = words(FAULTS);

const size = z.object({ width: z.int().min(16).max(8192), height: z.int().min(16).max(8192) });

/** The size of a window in CSS pixels. */
export type WindowSize = z.infer<typeof size>;
const SIZE = /^(\d{2,4})x(\d{2,4})$/;

/** A window size such as `1280x800`. */
export const viewport: Kind<WindowSize> = {
  value: size,
  schema: { type: "string", pattern: SIZE.source, examples: ["1280x800"] },
  control: "text",
  hint: "Write a width and a height from 16 to 8192, such as 1280x800.",
  read(given) {
    const [, width, height] = SIZE.exec(given.trim()) ?? [];
    return { width: Number(width), height: Number(height) };
  },
};

/** The schemas of the values, for the parameters of operations that visit a page. */
export const visitSchema = z.object({
  cookies: cookies.value.exactOptional(),
  headers: requestHeaders.value.exactOptional(),
  userAgent: userAgent.value.exactOptional(),
  waitFor: waitFor.value.exactOptional(),
  failOn: failOn.value.exactOptional(),
  /** The device whose user agent a request has that is not sent by the browser. @default desktop */
  device: z.enum(["desktop", "tablet", "mobile"]).exactOptional(),
});

/** How a page is visited. */
export type PageVisit = z.infer<typeof visitSchema>;
