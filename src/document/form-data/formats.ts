// The formats of form data: their media types, and which one a file has.

import type { Element } from "@xmldom/xmldom";
import { OutOfRange } from "../contract/failure.ts";
import { readFdf, writeFdf } from "./fdf.ts";
import type { FieldValue } from "./field-value.ts";
import { readFieldsJson, writeFieldsJson } from "./fields-json.ts";
import { isFieldsXml, readFieldsXml, writeFieldsXml } from "./fields-xml.ts";
import { readXfaData } from "./xfa-data.ts";
import { isXfdf, readXfdf, writeXfdf } from "./xfdf.ts";
import { readXml } from "./xml-text.ts";

/** Formats of the fields of an AcroForm, and their writers. */
export const FIELD_FORMATS: Readonly<Record<string, (values: readonly FieldValue[], name: string) => Uint8Array>> = {
  fdf: writeFdf,
  xfdf: writeXfdf,
  xml: writeFieldsXml,
  json: writeFieldsJson,
};
/** Formats of the data of an XFA form. */
export const XFA_FORMATS = ["xfd", "xdp", "xml"] as const;

export const FORMATS = ["fdf", "xfdf", "xml", "xfd", "xdp", "json"] as const;
export type DataFormat = (typeof FORMATS)[number];

export const MEDIA_TYPES: Readonly<Record<DataFormat, string>> = {
  fdf: "application/vnd.fdf",
  xfdf: "application/vnd.adobe.xfdf",
  xml: "application/xml",
  xfd: "application/vnd.adobe.xfd+xml",
  xdp: "application/vnd.adobe.xdp+xml",
  json: "application/json",
};

/** Form data: values of fields, or the elements of XFA data. */
export type FormData = { readonly values: readonly FieldValue[] } | { readonly elements: readonly Element[] };

/** @throws OutOfRange if the file has no form data */
export function readFormData(bytes: Uint8Array, name: string): FormData {
  const start = new TextDecoder("latin1").decode(bytes.subarray(0, 1024));
  const data = start.includes("%FDF-")
    ? asValues(readFdf(bytes))
    : /^(?:\xef\xbb\xbf)?\s*\{/.test(start)
      ? asValues(readFieldsJson(bytes))
      : fromXml(readXml(bytes));
  if (!data) throw new OutOfRange("data_file", name, "It is no form data that can be read.");
  return data;
}

const asValues = (values: readonly FieldValue[] | undefined): FormData | undefined => values && { values };

function fromXml(root: Element | undefined): FormData | undefined {
  if (!root) return undefined;
  if (isXfdf(root)) return { values: readXfdf(root) };
  return isFieldsXml(root) ? { values: readFieldsXml(root) } : { elements: readXfaData(root) };
}
