// Formats successful responses: JSON with file IDs, or the headers of a file.

import { attachment } from "../../../document/contract/file-name.ts";
import { mergeNotices, type Notice, type NoticeSubject } from "../../../document/contract/notice.ts";
import { hasSameWidths } from "../../../document/fonts/replacements/font-names.ts";
import type { FoundFile, StoredFile } from "../../storage/file.ts";
import { namingOf } from "../contract/declaration/output-declaration.ts";
import type { Endpoint } from "../contract/endpoint.ts";
import { furtherInputsOf, type Inputs } from "../contract/input-declaration.ts";
import type { InputFile } from "../requests/inputs.ts";
import { noticeSentences, noticesHeader } from "./notices.ts";
import type { DataResult } from "./outputs.ts";

/** The body of a successful response (docs/api.md#responses). */
export interface OperationResponse {
  readonly outputUrl: string | readonly string[];
  readonly outputId: string | readonly string[];
  readonly inputId?: string | readonly string[];
  /** The outputs with their names, for endpoints whose outputs have names of their own. */
  readonly files?: readonly { readonly name: string; readonly id: string; readonly outputUrl: string }[];
  /** Size of the output in bytes. Missing if the other members are lists. */
  readonly outputSize?: number;
  /** Size of the input in bytes. Only some endpoints return it. */
  readonly inputSize?: number;
  /** Sentences about content that the documents lost. Missing without losses. */
  readonly notices?: readonly string[];
  /** States that there are no outputs, for endpoints whose input can have nothing to return. Missing otherwise. */
  readonly warning?: string;
  /** Substituted fonts, for endpoints that report them. Missing if no font was substituted. */
  readonly substitutedFonts?: readonly SubstitutedFont[];
}

/** Files and notices of a request. */
export interface OperationResults {
  readonly inputs: readonly InputFile[];
  readonly inputIds: readonly string[];
  readonly outputs: readonly StoredFile[];
  readonly lost: readonly Notice[];
}

export function operationResponse(
  { output, inputs: declared, extraFields = [] }: Pick<Endpoint, "output" | "inputs" | "extraFields">,
  results: OperationResults,
  baseUrl: string,
): OperationResponse {
  const { inputs, inputIds, outputs, lost } = results;
  const ids = outputs.map(({ id }) => id);
  const urls = ids.map((id) => fileUrl(baseUrl, id));
  const naming = namingOf(output);
  const several = naming === "list" || (naming === "prefix" && ids.length !== 1);
  const notices = noticeSentences(lost);
  const fonts = substitutedFonts(lost);
  return {
    outputUrl: several ? urls : urls[0]!,
    outputId: several ? ids : ids[0]!,
    ...namedInputs(declared, inputIds),
    ...(extraFields.includes("files")
      ? { files: outputs.map(({ name, id }) => ({ name, id, outputUrl: fileUrl(baseUrl, id) })) }
      : {}),
    ...(extraFields.includes("warning") && ids.length === 0 ? { warning: NOTHING_FOUND } : {}),
    ...(several ? {} : { outputSize: outputs[0]!.size }),
    ...(extraFields.includes("inputSize") ? { inputSize: inputs[0]!.size } : {}),
    ...(notices.length > 0 ? { notices } : {}),
    ...(extraFields.includes("substitutedFonts") && fonts.length > 0 ? { substitutedFonts: fonts } : {}),
  };
}

/** Returns the body of the response to a request whose output was sent to the client's address. */
export function deliveredResponse(
  endpoint: Pick<Endpoint, "output" | "inputs" | "extraFields">,
  results: OperationResults,
  address: string,
): Omit<OperationResponse, "outputId"> {
  const { outputId: _, files: __, outputUrl, ...others } = operationResponse(endpoint, results, "");
  // The rest of the address permits writing.
  const { origin, pathname } = new URL(address);
  return { outputUrl: Array.isArray(outputUrl) ? [origin + pathname] : origin + pathname, ...others };
}

const NOTHING_FOUND = "No files of the specified type were found.";

interface SubstitutedFont extends NoticeSubject {
  /** True if text has the same advance widths in the replacing font. */
  readonly sameWidths: boolean;
}

function substitutedFonts(lost: readonly Notice[]): SubstitutedFont[] {
  const subjects = mergeNotices(lost).find(({ code }) => code === "fonts-substituted")?.subjects ?? [];
  return subjects.map((font) => ({ ...font, sameWidths: hasSameWidths(font.name, font.replacedBy ?? "") }));
}

/**
 * Returns the body of a data response. It contains the data (the members of the output object, or the text as one
 * member) and the members that all responses have.
 */
export function dataResponse(
  { inputs, output }: Pick<Endpoint, "inputs" | "output">,
  { bytes, lost }: DataResult,
  inputIds: readonly string[],
): object {
  const text = new TextDecoder().decode(bytes);
  const member = output.kind === "data" ? output.member : undefined;
  const data = member === undefined ? (JSON.parse(text) as object) : { [member]: text };
  const notices = noticeSentences(lost);
  return { ...data, ...namedInputs(inputs, inputIds), ...(notices.length > 0 ? { notices } : {}) };
}

/** Returns the IDs of stored inputs: a list if the endpoint allows several documents. */
function namedInputs(inputs: Inputs, ids: readonly string[]): Pick<OperationResponse, "inputId"> {
  if (ids.length === 0) return {};
  const isOne = ids.length === 1 || furtherInputsOf(inputs).some(({ isUnlisted }) => isUnlisted);
  return { inputId: inputs.file?.kind === "several" || !isOne ? ids : ids[0]! };
}

/** Returns the URL of a stored file (docs/api.md#responses). */
export const fileUrl = (baseUrl: string, id: string) => `${baseUrl}/resource/${id}?format=file`;

/** Returns the `format=info` properties common to all stored files. */
export function infoOf({ id, name, type, size, modified, expires }: FoundFile, baseUrl: string): object {
  const end = expires?.toISOString();
  return {
    ...{ id, name, url: fileUrl(baseUrl, id), type, size, modified: modified.toISOString() },
    ...(end === undefined ? {} : { expires: end, scheduledDeletionTimeUtc: end }),
  };
}

/** Returns the header with the notices, if there are any. */
export function noticeHeaders(lost: readonly Notice[]): Record<string, string> {
  const notices = noticesHeader(lost);
  return notices === "" ? {} : { Notices: notices };
}

/** Returns the headers of a downloaded file. */
export const downloadHeaders = ({ name, type }: { readonly name: string; readonly type: string }) => ({
  "Content-Type": type,
  "Content-Disposition": attachment(name),
  // The content is untrusted, so a browser must never run it as a page of the service's origin.
  "X-Content-Type-Options": "nosniff",
  "Content-Security-Policy": "sandbox; default-src 'none'",
  "Referrer-Policy": "no-referrer",
});
