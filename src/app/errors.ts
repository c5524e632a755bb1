// Responds to failed requests, and to requests without a matching route.
import { HTTPException } from "hono/http-exception";
import { EngineFailure } from "../document/contract/failure.ts";
import { foreignErrorResponse } from "../gotenberg/errors.ts";
import { describeError } from "../runtime/log-line.ts";
import { noSuchEndpoint, ServiceError, toServiceError } from "../service/http/contract/errors.ts";
import { parametersOf } from "../service/http/openapi/document.ts";
import { helpLink } from "../service/http/responses/help.ts";
import { stringItem } from "../service/http/responses/string-item.ts";
import type { Config } from "../service/settings/config.ts";
import { apiDescription } from "./api-description.ts";
import { type App, baseUrl, idsOf, log, type RequestContext } from "./context.ts";
import { isForeign } from "./gotenberg.ts";

export function respondWithErrors(app: App): void {
  // These handlers return responses. If they threw, the response would lack the headers that the middleware adds.
  app.notFound((c) => respond(noSuchEndpoint(), c));
  app.onError((error, c) => {
    const failure =
      error instanceof HTTPException ? new ServiceError(error.status, error.message) : toServiceError(error);
    if (failure.status >= 500 || error instanceof EngineFailure) {
      log(idsOf(c), "request failed", { status: failure.status, ...describeError(error) });
    }
    return respond(failure, c);
  });
}

const respond = (error: ServiceError, c: RequestContext): Response =>
  isForeign(c) ? foreignErrorResponse(error) : jsonResponse(error, c);

const jsonResponse = (error: ServiceError, c: RequestContext): Response =>
  c.json({ error: error.message }, error.status as 400, {
    // Repeats the message for clients that discard the body of an error, such as `curl --fail`.
    Error: stringItem(error.message),
    ...helpFor(error, c),
    ...error.headers,
  });

/** Returns the header with the documentation URL of an error; no header if the service's settings are invalid. */
function helpFor(error: ServiceError, c: RequestContext): Record<string, string> {
  const config: Config | undefined = c.get("config");
  if (!config) return {};
  const { path } = c.req;
  return { Link: helpLink(error, path, parametersOf(apiDescription, path, config), baseUrl(c)) };
}
