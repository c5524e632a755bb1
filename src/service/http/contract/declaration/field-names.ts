// Derives the names of fields with special properties from the declaration of an endpoint.

import type { Endpoint } from "../endpoint.ts";
import type { Form } from "../form.ts";
import { furtherInputsOf, mainInputOf } from "../input-declaration.ts";

/** Returns the names of the fields whose order of arrival determines the order of the inputs. */
export const orderedFieldsOf = ({ inputs }: Endpoint): ReadonlySet<string> =>
  new Set([
    ...(inputs.file?.kind === "several" && inputs.file.orderedBy === undefined ? ["file", "id", "url"] : []),
    ...furtherInputsOf(inputs).flatMap(({ isList, file, id, url }) => (isList ? [file, id, url] : [])),
  ]);

/** Returns the names of the fields of a form that contain secrets. */
export const secretsOf = (endpoint: Endpoint, form: Form): ReadonlySet<string> =>
  endpoint.secretsIn?.(form) ?? declaredSecrets(endpoint);

const declaredSecrets = ({ fields }: Endpoint): ReadonlySet<string> =>
  new Set(Object.entries(fields).flatMap(([name, { kind }]) => (kind.isSecret ? [name] : [])));

/** Returns the names of all fields that an endpoint reads, without brackets. */
export const fieldNamesOf = ({ fields, inputs }: Endpoint): ReadonlySet<string> => {
  const main = mainInputOf(inputs);
  const named = furtherInputsOf(inputs).flatMap(({ file, id, url }) => [file, id, url]);
  const order = main.kind === "several" && main.orderedBy !== undefined ? [main.orderedBy] : [];
  return new Set([...Object.keys(fields), ...Object.keys(inputs), "id", "url", ...named, ...order]);
};

/** Returns the names of the fields that need special parsing: files, long texts, JSON files, passwords, and secret files. */
export function streamedFields({ inputs, fields }: Endpoint) {
  const jsonFiles = Object.entries(fields).filter(([, { kind }]) => kind.json);
  const passwords = Object.entries(fields).filter(([, { kind }]) => kind.isSecret && !kind.json);
  const texts = Object.entries(inputs).filter(([, { kind }]) => kind === "text");
  return {
    fileFields: new Set(Object.keys(inputs)),
    textFields: new Set(texts.map(([name]) => name)),
    jsonFileFields: new Set(jsonFiles.map(([name]) => name)),
    passwordFields: new Set(passwords.map(([name]) => name)),
    secretFileFields: new Set(passwords.filter(([, { kind }]) => kind.file).map(([name]) => name)),
  };
}
