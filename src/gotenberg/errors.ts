// Errors as Gotenberg reports them: a status that its clients know, and a plain text with the names of its fields.

import { SECRET } from "../document/contract/parameters/text.ts";
import {
  faultyPage,
  keyRequired,
  noSuchEndpoint,
  outOfRange,
  passwordProtected,
  permissionsRequired,
  type ServiceError,
  unmetCondition,
} from "../service/http/contract/errors.ts";

/** Statuses of Gotenberg, by ours. A document that cannot be processed is a bad request; the service's limits are 503. */
const STATUSES: Readonly<Record<number, number>> = { 404: 400, 408: 400, 422: 400, 504: 503, 507: 503 };

/** Names of fields, by the names of our parameters, if they differ. */
const FIELDS: Readonly<Record<string, string>> = {
  "url[]": "url",
  pages: "nativePageRanges",
  "rotated-pdf.pages": "rotatePages",
  "watermarked-pdf.pages": "watermarkPages or stampPages",
  pages_per_file: "splitSpan",
  "pages[]": "splitSpan",
  wait_for: "waitForExpression",
  headers: "extraHttpHeaders",
  user_agent: "userAgent",
  output_type: "pdfa",
  new_open_password: "userPassword",
  new_permissions_password: "ownerPassword",
  output_url: "Gotenberg-Webhook-Url",
};

const FAULTS: Readonly<Record<string, string>> = {
  console_errors: "Chromium console exceptions:\n",
  status_errors: "Invalid HTTP status code from resources:\n",
  missing_resources: "Chromium failed to load resources: ",
};

/** The service adds it to errors of requests with steps, which the client did not send. */
const STEP = / ?The error is in step \d+, ([\w-]+)\.$/;

interface ForeignError {
  readonly status: number;
  readonly message: string;
}

export function foreignError({ status, template, values, explanation, message }: ServiceError): ForeignError {
  const why = explanation?.replace(STEP, "");
  const [, step] = STEP.exec(explanation ?? "") ?? [];
  const parameter = values.parameter?.replace(/^steps\.\d+\.[\w-]+\./, "") ?? "";
  const field = FIELDS[`${step}.${parameter}`] ?? FIELDS[parameter] ?? parameter;
  switch (template) {
    case faultyPage().template: {
      const [, kind = "", fault = ""] = /^(\w+), (.*)$/s.exec(values.fault ?? "") ?? [];
      return { status: 409, message: `${FAULTS[kind] ?? ""}${fault}` };
    }
    case outOfRange("", "").template: {
      const shown = values.value === SECRET ? "" : ` (got '${values.value}')`;
      const got = `form field '${field}' is invalid${shown}`;
      return { status: 400, message: `Invalid form data: ${got}${why ? `. ${why}` : ""}` };
    }
    case unmetCondition().template:
      return {
        status: 400,
        message: message.replace("wait_for", "waitForExpression or waitForSelector").replace(STEP, ""),
      };
    case passwordProtected().template:
    case permissionsRequired().template:
      // 401 would ask for the credentials of the client.
      return { status: 400, message: message.replace(STEP, "") };
    case noSuchEndpoint().template:
      return { status, message };
    default: {
      const named = message.replace("output_url", FIELDS.output_url!);
      return { status: STATUSES[status] ?? status, message: named.replace(STEP, "") };
    }
  }
}

export function foreignErrorResponse(error: ServiceError): Response {
  const { status, message } = foreignError(error);
  const challenge = status === keyRequired().status ? { "WWW-Authenticate": 'Basic realm="Restricted"' } : {};
  const headers = { ...error.headers, ...challenge, "Content-Type": "text/plain; charset=UTF-8" };
  return new Response(message, { status, headers });
}
