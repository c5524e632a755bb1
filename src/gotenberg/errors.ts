// Errors as Gotenberg reports them: a status that its clients know, and a plain text.

import { faultyPage, keyRequired, noSuchEndpoint, type ServiceError } from "../service/http/contract/errors.ts";

/** Statuses of Gotenberg, by ours. A document that cannot be processed is a bad request; the service's limits are 503. */
const STATUSES: Readonly<Record<number, number>> = { 404: 400, 406: 400, 408: 400, 422: 400, 504: 503, 507: 503 };

export function statusOf({ status, template }: ServiceError): number {
  if (template === faultyPage().template) return 409;
  return template === noSuchEndpoint().template ? status : (STATUSES[status] ?? status);
}

export function foreignErrorResponse(error: ServiceError, more: Readonly<Record<string, string>> = {}): Response {
  const status = statusOf(error);
  const challenge = status === keyRequired().status ? { "WWW-Authenticate": 'Basic realm="Restricted"' } : {};
  const headers = { ...error.headers, ...challenge, ...more, "Content-Type": "text/plain; charset=UTF-8" };
  return new Response(error.message, { status, headers });
}
