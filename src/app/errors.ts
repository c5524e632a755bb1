// Answers requests that failed, and those that no route takes.
import { HTTPException } from "hono/http-exception";
import { EngineFailure } from "../document/contract/failure.ts";
import { noSuchEndpoint, ServiceError, toServiceError } from "../service/http/contract/errors.ts";
import { parametersOf } from "../service/http/openapi/document.ts";
import { helpLink } from "../service/http/responses/help.ts";
import { stringItem } from "../service/http/responses/string-item.ts";
import type { Config } from "../service/settings/config.ts";
import { apiDescription } from "./api-description.ts";
import { type App, baseUrl, idsOf, log, type RequestContext } from "./context.ts";

export function answerErrors(app: App): void {
  // The middleware does not see an error that is thrown here, and adds fields to the answer.
  app.notFound((c) => answer(noSuchEndpoint(), c));
  app.onError((error, c) => {
    const failure =
      error instanceof HTTPException ? new ServiceError(error.status, error.message) : toServiceError(error);
    if (failure.status >= 500 || error instanceof EngineFailure) {
      log(idsOf(c), "request failed", { status: failure.status, error: String(error), stack: error.stack });
    }
    return answer(failure, c);
  });
}

const answer = (error: ServiceError, c: RequestContext): Response =>
  c.json({ error: error.message }, error.status as 400, {
    // For programs that do not keep the body of an error, such as curl that writes to a file.
    Error: stringItem(error.message),
    ...helpFor(error, c),
    ...error.headers,
  });

/** Returns the header that leads to the explanation of an error; none if the settings of the service are invalid. */
function helpFor(error: ServiceError, c: RequestContext): Record<string, string> {
  const config: Config | undefined = c.get("config");
  if (!config) return {};
  const { path } = c.req;
  return { Link: helpLink(error, path, parametersOf(apiDescription, path, config), baseUrl(c)) };
}
