// Fetches the files that the field downloadFrom lists.

import type { RequestServices } from "../service/http/contract/endpoint.ts";
import type { Form } from "../service/http/contract/form.ts";
import type { Receiving } from "../service/http/pipeline/pipeline.ts";
import { fetchInput } from "../service/http/requests/url-inputs.ts";
import type { ReceivedFile } from "../service/storage/file.ts";
import { differs, headerTexts, invalid, isObject, json } from "./fields.ts";

const FIELD = "downloadFrom";

interface Download {
  readonly url: string;
  readonly extraHttpHeaders?: Readonly<Record<string, string>>;
  /** An old spelling of the field `embedded`. */
  readonly embedded?: boolean;
  readonly field?: string;
}

const isDownload = (value: unknown): value is Download =>
  isObject(value) &&
  typeof value.url === "string" &&
  (value.extraHttpHeaders == null || headerTexts.read(JSON.stringify(value.extraHttpHeaders)) !== undefined);

const downloads = json(
  (value): value is readonly Download[] => Array.isArray(value) && value.every(isDownload),
  "a JSON list of objects with a url, and headers that a client can choose",
);

export const DOWNLOAD_FIELDS = { [FIELD]: differs(downloads) };

/** Returns the form with the downloaded files before those that were sent. @throws ServiceError 400, 413, 422 */
export async function withDownloads(
  form: Form,
  { service, ...receiving }: Receiving & { readonly service: RequestServices; readonly maxBytes: number },
): Promise<Form> {
  const given = form.fields.get(FIELD)?.[0] ?? "";
  if (given === "") return form;
  const wanted = downloads.read(given);
  if (wanted === undefined) throw invalid(`form field '${FIELD}' is invalid (expected ${downloads.expected})`);
  const to = {
    ...{ ...receiving, isTransient: true, uploads: form.uploads, places: service, container: service.container },
    ...{ log: service.log, defer: service.defer },
  };
  const files = new Map<string, readonly ReceivedFile[]>();
  for (const { url, extraHttpHeaders: headers, embedded = false, field = "" } of wanted) {
    const name = embedded || field === "embedded" ? "embeds" : field || "files";
    const file = await fetchInput({ url, parameter: FIELD, ...(headers ? { headers } : {}) }, to);
    files.set(name, [...(files.get(name) ?? []), file]);
  }
  for (const [name, sent] of form.files) files.set(name, [...(files.get(name) ?? []), ...sent]);
  return { ...form, files };
}
