// Finds the values of AcroForm fields in the data of the XFA form beside them. Their names are paths in the template:
// `form1[0].#subform[0].Name[0]`. Data bind by name (XFA 3.3, "Data Binding"); a container without data is transparent.
import type { Element } from "@xmldom/xmldom";
import { elementsOf } from "../formats/xml.ts";
import type { FieldValue } from "./field-value.ts";
import { type Form, type FormField, OFF, onStates, widgetOf } from "./form-fields.ts";

/** @param data the element with the data */
export const boundValues = (form: Form, data: Element): FieldValue[] =>
  form.fields.flatMap((field) => {
    const element = elementOf(field.name, data);
    if (!element) return [];
    const value = boundValue(element);
    const isOff = field.kind === "button" && !offers(form, field, value);
    return [{ name: field.name, value: isOff ? OFF : value }];
  });

/** Reports whether a button has this state or export value. */
function offers(form: Form, { reference, widgets }: FormField, value: FieldValue["value"]): boolean {
  const states = widgets.flatMap((one) => onStates(form.file, form.file.dictionary(one)!));
  const exported = widgetOf(form, reference)
    .options()
    .map((option) => option.exported);
  return [...states, ...exported].includes(value as string);
}

function elementOf(name: string, data: Element): Element | undefined {
  const path = name.split(/(?<!\\)\./).map((part) => part.replaceAll("\\.", "."));
  const last = path.pop()!;
  let scope = data;
  for (const part of path) scope = childOf(scope, part) ?? scope;
  return childOf(scope, last);
}

function childOf(scope: Element, part: string): Element | undefined {
  const [, name, index] = /^(.*?)(?:\[(\d+)\])?$/s.exec(part)!;
  if (name!.startsWith("#")) return undefined;
  return elementsOf(scope).filter(({ localName }) => localName === name)[Number(index ?? 0)];
}

/** Returns the text of a value, or several texts for a list whose choices are elements. */
function boundValue(element: Element): FieldValue["value"] {
  const choices = elementsOf(element).filter(({ localName }) => localName === "value");
  return choices.length > 0 ? choices.map(({ textContent }) => textContent ?? "") : (element.textContent ?? "");
}
