// Converts the JSON body of a step to a form for its endpoint.

import { fieldNamesOf, streamedFields } from "../../service/http/contract/declaration/field-names.ts";
import type { Endpoint } from "../../service/http/contract/endpoint.ts";
import { outOfRange } from "../../service/http/contract/errors.ts";
import type { Form } from "../../service/http/contract/form.ts";
import { furtherInputsOf, mainInputOf } from "../../service/http/contract/input-declaration.ts";
import { fieldsOfJson } from "../../service/http/requests/text-bodies.ts";
import type { ReceivedFile } from "../../service/storage/file.ts";

/** Fields with the further files of all steps. */
export const STEP_FILES = "step_files";
export const STEP_URLS = "step_urls";

/** Fields that name the documents of a request, which a step receives from the step before. */
const DOCUMENT_FIELDS = ["file", "id", "url"];
const NO_DOCUMENT = "The request has the documents, not the step.";
const NO_SUCH_STEP_FILE = `No file of ${STEP_FILES} has this name.`;

/** Number of values that a step can have in lists. */
const MAX_VALUES = 1000;

export const fieldsOfStep = (endpoint: Endpoint, body: object) =>
  fieldsOfJson(body, { ...streamedFields(endpoint), maxFiles: MAX_VALUES });

/**
 * @param files the files to which steps refer by name; incomplete if the form has URLs that are not fetched yet
 * @throws ServiceError 400, 413
 */
export function formOfStep(endpoint: Endpoint, body: object, form: Form, files: readonly ReceivedFile[]): Form {
  const { fields: sent, order } = fieldsOfStep(endpoint, body);
  const known = fieldNamesOf(endpoint);
  const fields = new Map([...sent].filter(([name]) => known.has(name)));
  for (const name of DOCUMENT_FIELDS) {
    const [value] = sent.get(name) ?? [];
    if (value !== undefined) throw outOfRange(name, value, NO_DOCUMENT);
  }
  const named = new Map<string, readonly ReceivedFile[]>();
  const [awaited] = form.fields.get(STEP_URLS) ?? [];
  for (const { file, url } of furtherInputsOf(endpoint.inputs)) {
    const names = fields.get(file) ?? [];
    const found = names.flatMap((name) => files.find((one) => one.name === name) ?? []);
    const missing = names.find((name) => files.every((one) => one.name !== name));
    if (missing !== undefined && awaited === undefined) throw outOfRange(file, missing, NO_SUCH_STEP_FILE);
    // The name of a file is unknown until it is fetched.
    if (missing !== undefined) fields.set(url, [awaited!]);
    else if (found.length > 0) named.set(file, found);
    fields.delete(file);
  }
  for (const name of perInput(endpoint)) if (!fields.has(name)) fields.set(name, ["all"]);
  return { fields, files: named, uploads: form.uploads, order, encoding: "json" };
}

/** Returns the names of the lists that have one value per input. A step does not know the number of its inputs. */
function perInput({ inputs }: Endpoint): readonly string[] {
  const main = mainInputOf(inputs);
  return (main.kind === "several" && main.perInput) || [];
}
