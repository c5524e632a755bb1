// The error class of the client, and parsing of error responses. A canceled call rejects with the reason of its signal
// instead.

export interface ErrorDetails {
  /** Name of the parameter that the service has rejected, in the client's spelling. */
  readonly parameter?: string | undefined;
  /** Request ID, which identifies the request in the log of the service. */
  readonly requestId?: string | undefined;
  /** Delay in the header Retry-After, in milliseconds. */
  readonly retryAfterMs?: number | undefined;
  /** URL of the section in the service's reference that explains the error. */
  readonly help?: string | undefined;
  readonly cause?: unknown;
}

export class PagewrightError extends Error {
  override readonly name = "PagewrightError";
  /** HTTP status; 0 if there was no response, or if the client itself rejected the call. */
  readonly status: number;
  readonly parameter: string | undefined;
  readonly requestId: string | undefined;
  readonly retryAfterMs: number | undefined;
  readonly help: string | undefined;

  /** @param message one sentence: the message of the service, or of the client if there was no response */
  constructor(status: number, message: string, details: ErrorDetails = {}) {
    const { parameter, requestId, retryAfterMs, help, cause } = details;
    super(message, cause === undefined ? undefined : { cause });
    this.status = status;
    this.parameter = parameter;
    this.requestId = requestId;
    this.retryAfterMs = retryAfterMs;
    this.help = help;
  }
}

/** Thrown if the service is reachable, but CORS prevents the page from reading its responses. */
export class OriginRefused extends PagewrightError {}

/** Statuses of temporary failures: the service or a proxy is busy or unavailable. 0 means no response. */
const TEMPORARY: readonly number[] = [0, 429, 502, 503, 520, 521, 522, 523];

/** Reports whether a retry of the same request can succeed. */
export const isTemporary = (error: unknown): boolean =>
  error instanceof PagewrightError &&
  !(error instanceof OriginRefused) &&
  // 409 with Retry-After: an earlier attempt of the same request is still running.
  (TEMPORARY.includes(error.status) || (error.status === 409 && error.retryAfterMs !== undefined));

/** Parses the error of a response that is not 2xx. */
export async function errorOf(response: Response): Promise<PagewrightError> {
  const text = await response.text();
  const { status, headers } = response;
  const requestId = headers.get("X-Request-Id") ?? undefined;
  const retryAfterMs = pauseIn(headers.get("Retry-After"));
  const help = /<([^>]*)>; rel="help"/.exec(headers.get("Link") ?? "")?.[1];
  const details = { requestId, retryAfterMs, help };
  return errorSaying(status, sentenceIn(text) ?? `The service answered ${status}.`, details);
}

/** @param message error message of the service. It can contain the name of a parameter (docs/api.md#errors) */
export function errorSaying(status: number, message: string, details: ErrorDetails = {}): PagewrightError {
  const [, range, quoted, repeated] =
    /^.*within the acceptable range for ([\w.[\]-]+)\.(?= |$)|^(?:The|Exactly one of the) '([\w.[\]-]+)' (?:field|file|values|and)|^Found more than one (\S+) key/s.exec(
      message,
    ) ?? [];
  const parameter = range ?? quoted ?? repeated;
  return new PagewrightError(status, message, { ...details, parameter: parameter && camelCased(parameter) });
}

/** Returns the client's spelling of a parameter: `outputType` for `output_type`. */
export const camelCased = (name: string): string =>
  name.replace(/\[\]$/, "").replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase());

/** Returns the service's spelling of a parameter: `output_type` for `outputType`. */
export const snakeCased = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

function sentenceIn(text: string): string | undefined {
  try {
    const { error } = JSON.parse(text) as { error?: unknown };
    return typeof error === "string" ? error : undefined;
  } catch {
    return undefined;
  }
}

/** Parses Retry-After, which is a number of seconds or a date (RFC 9110, 10.2.3). Returns milliseconds. */
function pauseIn(header: string | null): number | undefined {
  if (header === null) return undefined;
  const ms = /^\s*\d+\s*$/.test(header) ? Number(header) * 1000 : Date.parse(header) - Date.now();
  return Number.isFinite(ms) ? Math.max(0, ms) : undefined;
}
