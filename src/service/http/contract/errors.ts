// Creates all error responses: one function per row of the spec's error table, and the only mapping from engine
// failures to responses.
import { EngineFailure, type Nonconformity, OutOfRange, StorageFull } from "../../../document/contract/failure.ts";
import { LIMITS } from "../../../document/contract/limits.ts";
import { RecordsUnavailable } from "../../ports/records-unavailable.ts";
import { FileBoundElsewhere, RegionLost } from "../../regions/region-errors.ts";

/** An error with a message for the client. Constructed only in this file, and by the routes of Gotenberg. */
export class ServiceError extends Error {
  override readonly name = "ServiceError";
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** The message with placeholders in angle brackets, as docs/api.md#errors lists it. */
  readonly template: string;
  /** The values of the placeholders. */
  readonly values: Readonly<Record<string, string>>;
  /** An additional sentence about this request. */
  readonly explanation: string | undefined;
  constructor(
    status: number,
    sentence: string,
    headers: Readonly<Record<string, string>> = {},
    values: Readonly<Record<string, string>> = {},
    explanation?: string,
  ) {
    const message = sentence.replace(/<(\w+)>/g, (word, name) => values[name] ?? word);
    super(explanation === undefined ? message : `${message} ${explanation}`);
    this.status = status;
    this.headers = headers;
    this.template = sentence;
    this.values = values;
    this.explanation = explanation;
  }

  /** Returns the same error with an additional sentence about this request. */
  because(explanation: string): ServiceError {
    return new ServiceError(this.status, this.template, this.headers, this.values, explanation);
  }

  /** Returns the same error with a sentence that names the step of the request. @param index from 0 */
  inStep(index: number, path: string): ServiceError {
    const location = `The error is in step ${index + 1}, ${path.slice(1)}.`;
    return this.because(this.explanation === undefined ? location : `${this.explanation} ${location}`);
  }
}

/** Returns an error. In its message, values of the request replace the placeholders. */
const about = (status: number, sentence: string, values: Record<string, string>, headers?: Record<string, string>) =>
  new ServiceError(status, sentence, headers, values);

const megabytes = (limitBytes: number) => ({ number: String(Math.floor(limitBytes / 2 ** 20)) });

const SHOWN_VALUE_LENGTH = 200;
const shown = (value: string): string =>
  value.length <= SHOWN_VALUE_LENGTH ? value : `${value.slice(0, SHOWN_VALUE_LENGTH)}…`;

// The errors of the spec's table, with the exact messages.
export const invalidRequest = () => new ServiceError(400, "Invalid Request");
export const outOfRange = (parameter: string, value: string, explanation?: string) => {
  const values = { value: shown(value), parameter };
  return new ServiceError(400, "<value> is not within the acceptable range for <parameter>.", {}, values, explanation);
};
export const fileAndId = () => new ServiceError(400, "This route will only accept a File or an ID, not both.");
export const duplicateField = (parameter: string) =>
  about(400, "Found more than one <parameter> key, only one is allowed.", { parameter });
export const tooManyInputs = () => new ServiceError(400, "Too many 'file' or 'id' values.");
export const fieldRequired = (parameter: string) =>
  about(400, "The '<parameter>' field is required.", { parameter: shown(parameter) });
export const eitherRequired = (parameter: string, other: string) =>
  about(400, "Exactly one of the '<parameter>' and '<other>' fields is required.", { parameter, other });
export const passwordProtected = () =>
  new ServiceError(401, "The input file is password protected and cannot be processed.");
export const permissionsRequired = () =>
  new ServiceError(401, "Cannot process the given input file without the correct permissions password.");
export const customSizeRequired = () =>
  new ServiceError(400, "Missing custom_height and/or custom_width for custom page size.");
export const passwordRequired = () => new ServiceError(400, "A password is required to process the document.");
export const damagedArchive = () => new ServiceError(400, "The zip archive is damaged, or has no files.");
export const unknownLanguage = (parameter: string) =>
  about(400, "The provided '<parameter>' language tag is invalid.", { parameter });
export const passwordTooShort = () => new ServiceError(400, "The given new password is too short.");
export const keyRequired = () => new ServiceError(401, "An Api-Key header is required to send this request.");
export const invalidKey = () => new ServiceError(401, "The provided key is not valid.");
export const foreignOrigin = () => new ServiceError(403, "Web pages of this origin may not use the service.");
export const unknownHost = () => new ServiceError(403, "The service may not be called by this host name.");
export const outOfScope = () => new ServiceError(403, "The key does not allow this endpoint.");
export const notOwner = () =>
  new ServiceError(403, "The file can only be removed with the key that made it, or with its Delete-Token.");
export const notRequester = () =>
  new ServiceError(403, "The request can only be canceled with the key that made it, or with its Delete-Token.");
/** @param limit the limit in words, such as "60 requests a minute" */
export const limitReached = (limit: string, headers: Record<string, string> = {}) =>
  about(429, "The limit of <limit> is reached, please try again later.", { limit }, headers);
export const lengthRequired = () => new ServiceError(411, "The request must have a Content-Length.");
export const noSuchFile = () => new ServiceError(404, "That file does not exist");
export const profileNotJson = () =>
  new ServiceError(422, "The 'profile' file provided is not a JSON file, please see documentation for sample profile.");

// Errors that the spec's table does not contain.
export const noInput = () => new ServiceError(400, "This route needs a File or an ID.");
export const noInputOrUrl = () => new ServiceError(400, "This route needs a File, an ID or a URL.");
export const filesAndUrls = () => new ServiceError(400, "Files and URLs cannot be uploaded together.");
export const fileIdAndUrl = () => new ServiceError(400, "This route will only accept one of a File, an ID or a URL.");
export const tooManyFiles = () => new ServiceError(400, "This route will only accept one File or one ID.");
export const tooFewInputs = () => new ServiceError(400, "Too few 'file' or 'id' values.");
export const inputOrderMismatch = (parameter: string) =>
  about(400, "The '<parameter>' values do not match the 'file' and 'id' values.", { parameter });
export const malformedBody = () => new ServiceError(400, "The request body is not valid multipart/form-data.");
export const malformedJson = () => new ServiceError(400, "The request body is not a valid JSON object.");
export const tooManyFields = () => new ServiceError(400, "The request has too many fields.");
export const fieldTooLarge = (parameter: string) =>
  about(413, "The '<parameter>' field is too large.", { parameter: shown(parameter) });
export const bodyTooLarge = (limitBytes: number) =>
  about(413, "The request body exceeds the maximum size of <number> MB.", megabytes(limitBytes));
export const bodyTooSlow = () => new ServiceError(408, "The request body arrives too slowly.", { Connection: "close" });
export const wrongContentType = () =>
  new ServiceError(415, "The Content-Type of the request must be multipart/form-data.");
export const wrongType = (explanation?: string) =>
  new ServiceError(400, "Uploaded file is not valid input for this route.", {}, {}, explanation);
export const notAPdf = () => new ServiceError(400, "The input file is damaged or is not a PDF.");
export const notDelivered = (reason = "status 403") =>
  about(422, "The output could not be delivered to output_url: <reason>.", { reason });
export const targetMissed = (size = "1,234,567") =>
  about(422, "The file cannot be made smaller than <size> bytes, which exceeds target_size.", { size });
export const invalidJobOptions = () => new ServiceError(400, "The file with job options is not valid.");
export const unreadableImage = () => new ServiceError(400, "There was a problem reading the input image.");
export const attachmentsForbidden = (standard = "PDF/A-2b") =>
  about(400, "The input file declares <standard>, which does not allow this attachment.", { standard });
export const signatureForbidden = () => new ServiceError(422, "The signatures of the input file forbid this one.");
export const notAnInvoice = () => new ServiceError(400, "The XML file is not an invoice of a known profile.");
export const fileTooLarge = (limitBytes: number) =>
  about(413, "The file exceeds the maximum size of <number> MB.", megabytes(limitBytes));
export const outputTooLarge = (limitBytes: number) =>
  about(413, "The output exceeds the maximum size of <number> MB.", megabytes(limitBytes));
export const unsupportedFile = (feature?: string) =>
  feature
    ? about(422, "The input file uses a feature that is not supported: <feature>.", { feature })
    : new ServiceError(422, "The input file uses a feature that is not supported.");
export const needsTooMuchMemory = () => new ServiceError(413, "The input file needs more memory than is available.");
export const tooComplex = (explanation?: string) =>
  new ServiceError(422, "The input file is too complex to be processed.", {}, {}, explanation);
export const tooMuchContent = () =>
  new ServiceError(
    422,
    "The input file has more content than can be validated: the limit is about 4 million operators on a page " +
      "and 6 million in all, " +
      "or 150,000 annotations, of which 50,000 may be without an appearance.",
  );
export const unreachable = () => new ServiceError(422, "The web page could not be loaded.");
export const notAWebPage = () => new ServiceError(422, "The address does not lead to a web page.");
export const unmetCondition = () =>
  about(422, "The web page did not meet the condition of wait_for within <number> seconds.", {
    number: String(LIMITS.pageWaitMs / 1000),
  });
export const faultyPage = (fault = "console_errors, ReferenceError: x is not defined") =>
  about(422, "The web page has a fault that fail_on does not allow: <fault>.", { fault: shown(fault) });
export const fileUnreachable = () => new ServiceError(422, "The file at the URL could not be loaded.");
/**
 * Returns an error whose message contains the first rules that are broken, and the pages whose appearance the
 * conversion would change.
 */
export function nonconforming({ standard, rules, changedPages }: Nonconformity = NOTHING_TOLD): ServiceError {
  const reasons = rules.slice(0, SHOWN_RULES).map(({ clause, test, pageNumbers }) => {
    const location = pageNumbers.length === 0 ? "" : ` on ${shownPages(pageNumbers)}`;
    return `rule ${clause} (test ${test}) is broken${location}`;
  });
  if (rules.length > SHOWN_RULES) reasons.push("more rules are broken");
  if (changedPages.length > 0) reasons.push(`${shownPages(changedPages)} would not look or read the same`);
  if (reasons.length === 0) return about(422, "The input file cannot be converted to <standard>.", { standard });
  const values = { standard, reasons: reasons.join(", ") };
  return about(422, "The input file cannot be converted to <standard>: <reasons>.", values);
}
const NOTHING_TOLD: Nonconformity = { standard: "PDF/A", rules: [], changedPages: [] };
const SHOWN_RULES = 3;
const SHOWN_PAGES = 10;
const shownPages = (pageNumbers: readonly number[]): string => {
  if (pageNumbers.length === 1) return `page ${pageNumbers[0]}`;
  const shown = pageNumbers.slice(0, SHOWN_PAGES);
  if (pageNumbers.length > SHOWN_PAGES) return `pages ${shown.join(", ")} and others`;
  return `pages ${shown.slice(0, -1).join(", ")} and ${shown.at(-1)}`;
};
export const noDocument = () => new ServiceError(422, "The step has no output that the next step could process.");
export const noSuchPage = () => new ServiceError(404, "That page does not exist.");
export const noSuchEndpoint = () => new ServiceError(404, "There is no such endpoint.");
/** @param variants the variants that have the endpoint */
export const notInVariant = (path: string, variants: readonly string[]) =>
  noSuchEndpoint().because(`${path} belongs to the ${variants.join(" and ")} variant.`);
export const methodNotAllowed = (allow: string) =>
  about(405, "This endpoint only accepts <methods> requests.", { methods: allow }, { Allow: allow });
export const notAcceptable = (types: readonly string[]) =>
  about(406, "The response is available only as <types>.", { types: types.join(", ") });
export const rangeNotSatisfiable = (sizeBytes: number) =>
  new ServiceError(416, "The requested range is not within the file.", { "Content-Range": `bytes */${sizeBytes}` });
export const preconditionFailed = () => new ServiceError(412, "The file is not the one named in If-Match.");

// Asynchronous jobs.
export const requiresAsync = (header: string) =>
  about(400, "The <header> header needs 'Prefer: respond-async'.", { header });
export const noSigningSecret = () =>
  new ServiceError(400, "The service has no secret to sign webhooks with, please ask its operator for one.");
export const noFormSecret = () =>
  new ServiceError(400, "The service has no secret to encrypt secret fields with, please ask its operator for one.");
export const noSuchRequest = () => new ServiceError(404, "requestID not found. That request does not exist.");

// Idempotent requests.
export const requestInProgress = (retryAfterSeconds = 5) =>
  new ServiceError(409, "Another request with this Idempotency-Key is still being processed.", {
    "Retry-After": String(retryAfterSeconds),
  });
export const idempotencyKeyReused = () => new ServiceError(422, "This Idempotency-Key was used with another request.");

// Resumable uploads (tus 1.0).
export const wrongTusVersion = (version: string) =>
  about(412, "The Tus-Resumable header must be <version>.", { version }, { "Tus-Version": version });
export const invalidHeader = (name: string) => about(400, "The <header> header is not valid.", { header: shown(name) });
export const noSuchUpload = () => new ServiceError(404, "That upload does not exist.");
export const uploadExpired = () => new ServiceError(410, "The upload has expired.");
export const uploadUsed = () => new ServiceError(410, "The upload address has been used.");
export const offsetMismatch = () => new ServiceError(409, "The Upload-Offset does not match the upload.");
export const beyondLength = () => new ServiceError(413, "The body exceeds the Upload-Length.");
export const wrongPatchType = () =>
  new ServiceError(415, "The Content-Type of the request must be application/offset+octet-stream.");
export const uploadConflict = () => new ServiceError(423, "Another request has changed the upload.");
export const checksumMismatch = () => new ServiceError(460, "The Upload-Checksum does not match the body.");

export const crashed = () => new ServiceError(500, "The file could not be processed because of an internal failure.");
export const busy = (retryAfterSeconds = 5) =>
  new ServiceError(503, "The service is busy, please try again later.", { "Retry-After": String(retryAfterSeconds) });
export const timeStampFailed = (retryAfterSeconds = 5) =>
  new ServiceError(503, "The time stamp authority is not available, please try again later.", {
    "Retry-After": String(retryAfterSeconds),
  });
export const modelFailed = () => new ServiceError(502, "The language model gave no usable answer.");
export const modelUnavailable = (retryAfterSeconds = 5) =>
  new ServiceError(503, "The language model is not available, please try again later.", {
    "Retry-After": String(retryAfterSeconds),
  });
const REGION_LOST = "The region <region> is unavailable, and with it its files and jobs; please try again later.";
export const regionLost = (region: string) => about(503, REGION_LOST, { region }, { "Retry-After": "30" });
export const noRegion = () => new ServiceError(503, "None of the regions of the key is available.");
const BOUND_ELSEWHERE =
  "The file is bound to the region <region>: send a request without other files, or with a key of this region.";
export const boundElsewhere = (region: string) => about(403, BOUND_ELSEWHERE, { region });
export const uploadElsewhere = () => new ServiceError(403, "The upload is not in a region of the key.");
export const timedOut = () => new ServiceError(504, "Processing the file took too long and was stopped.");
export const storageFull = () => new ServiceError(507, "The storage is full.");
export const unexpected = () => new ServiceError(500, "The request failed because of an internal error.");

/** Returns the stored error of an earlier request, for a replay. */
export const replayedError = (status: number, message: string, headers: Record<string, string>) =>
  new ServiceError(status, message, headers);

/** Maps a thrown value to an error response. All unexpected values have the same message. */
export function toServiceError(error: unknown): ServiceError {
  if (error instanceof ServiceError) return error;
  if (error instanceof OutOfRange) return outOfRange(error.parameter, error.value, error.why);
  if (error instanceof StorageFull) return storageFull();
  if (error instanceof RecordsUnavailable) return busy();
  if (error instanceof RegionLost) return regionLost(error.region);
  if (error instanceof FileBoundElsewhere) return boundElsewhere(error.region);
  if (error instanceof EngineFailure) {
    const answered = fromEngineFailure(error);
    return error.why === undefined ? answered : answered.because(error.why);
  }
  return unexpected();
}

function fromEngineFailure({ reason, nonconformity, feature, limitBytes, why }: EngineFailure): ServiceError {
  switch (reason) {
    case "password-protected":
      return passwordProtected();
    case "password-required":
      return passwordRequired();
    case "permissions-required":
      return permissionsRequired();
    case "not-a-pdf":
    case "damaged":
      return notAPdf();
    case "unreadable-image":
      return unreadableImage();
    case "attachments-forbidden":
      return attachmentsForbidden(feature);
    case "signature-forbidden":
      return signatureForbidden();
    case "time-stamp-failed":
      return timeStampFailed();
    case "model-failed":
      return modelFailed();
    case "model-unavailable":
      return modelUnavailable();
    case "not-an-invoice":
      return notAnInvoice();
    case "unsupported":
      return unsupportedFile(feature);
    case "too-large":
      return limitBytes === undefined ? needsTooMuchMemory() : fileTooLarge(limitBytes);
    case "too-complex":
      return tooComplex(why);
    case "too-much-content":
      return tooMuchContent();
    case "unreachable":
      return unreachable();
    case "not-a-web-page":
      return notAWebPage();
    case "unmet-condition":
      return unmetCondition();
    case "faulty-page":
      return faultyPage(feature);
    case "nonconforming":
      return nonconforming(nonconformity);
    case "scanned":
    case "no-document":
      return noDocument();
    case "target-missed":
      return targetMissed(feature);
    case "timed-out":
      return timedOut();
    case "crashed":
      return crashed();
    case "busy":
    case "lost":
      return busy();
    default:
      return reason satisfies never;
  }
}
