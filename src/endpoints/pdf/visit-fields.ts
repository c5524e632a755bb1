// Declares the fields with which a page is visited: cookies, headers, waiting and checks.

import { LIMITS } from "../../document/contract/limits.ts";
import { optional, type Params } from "../../document/contract/parameter.ts";
import {
  cookies,
  failOn,
  type PageVisit,
  requestHeaders,
  userAgent,
  waitFor,
} from "../../document/contract/parameters/web-page.ts";
import { readFields, type SentFields } from "../../service/http/contract/fields.ts";

export const VISIT_FIELDS = {
  cookies: optional(
    "JSON list of cookies with name, value and domain, and optionally path, secure, httpOnly and sameSite (HTML). " +
      "A cookie is sent only to the hosts of its domain.",
    cookies,
  ),
  headers: optional("JSON object of request headers, sent only to the origin of url (HTML).", requestHeaders),
  user_agent: optional("The user agent that servers and scripts see (HTML).", userAgent),
  wait_for: optional(
    "Condition for which a page waits (HTML): a CSS selector of an element that must exist, js: and an expression that " +
      `must become true, or a number of milliseconds, at most ${LIMITS.pageWaitMs}.`,
    waitFor,
  ),
  fail_on: optional("Faults of a page that are errors (HTML), separated by commas.", failOn),
};

/** Returns how a page is visited. */
export function visiting(fields: Params<typeof VISIT_FIELDS>): PageVisit {
  const { cookies, headers, user_agent, wait_for, fail_on } = fields;
  return {
    ...(cookies ? { cookies } : {}),
    ...(headers ? { headers } : {}),
    ...(user_agent === undefined ? {} : { userAgent: user_agent }),
    ...(wait_for ? { waitFor: wait_for } : {}),
    ...(fail_on ? { failOn: fail_on } : {}),
  };
}

/** Returns how the URL of a request is visited, before its other fields are read. @throws ServiceError 400 */
export const visitIn = (form: SentFields): PageVisit => visiting(readFields(VISIT_FIELDS, form, {}));
