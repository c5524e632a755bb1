// Reads the standard and the profile of an invoice in XML.
import type { Element } from "@xmldom/xmldom";
import { EngineFailure } from "../contract/failure.ts";
import { readXml } from "../form-data/xml-text.ts";
import { elementsOf } from "../formats/xml.ts";
import { type InvoiceKind, kindOf, type Standard } from "./profiles.ts";

/** Standards by the outermost element of the invoice. Both are in the syntax CII. */
const STANDARDS: Readonly<Record<string, Standard>> = {
  "urn:un:unece:uncefact:data:standard:CrossIndustryInvoice:100 CrossIndustryInvoice": "factur-x",
  "urn:ferd:CrossIndustryDocument:invoice:1p0 CrossIndustryDocument": "zugferd-1",
};
const UBL = "urn:oasis:names:specification:ubl:schema:xsd:";
/** Elements between the outermost one and the guideline. The first name differs between the standards. */
const CONTEXTS = ["ExchangedDocumentContext", "SpecifiedExchangedDocumentContext"];

/** Returns the child elements with a name, in any namespace. */
export const childrenNamed = (parent: Element | undefined, name: string): readonly Element[] =>
  parent ? elementsOf(parent).filter(({ localName }) => localName === name) : [];

/** Returns the text of an element, or an empty text. */
export const textOf = (element: Element | undefined): string => element?.textContent?.trim() ?? "";

export interface Invoice {
  readonly kind: InvoiceKind;
  readonly root: Element;
}

/**
 * @param name of the file, for messages
 * @throws EngineFailure `not-an-invoice`
 */
export function readInvoice(bytes: Uint8Array, name: string): Invoice {
  const root = readXml(bytes, { isStrict: true });
  if (!root) {
    throw notAnInvoice(`${name} is not well-formed XML, has a document type declaration (DTD), or is too large.`);
  }
  const standard = STANDARDS[`${root.namespaceURI} ${root.localName}`];
  if (standard === undefined) throw notAnInvoice(faultOf(root, name));
  const guideline = guidelineOf(root);
  const kind = kindOf(standard, guideline);
  if (!kind) {
    const fault = guideline === "" ? "no guideline (BT-24)" : `an unknown guideline (BT-24): ${guideline}`;
    throw notAnInvoice(`${name} has ${fault}.`);
  }
  return { kind, root };
}

function faultOf({ namespaceURI, localName }: Element, name: string): string {
  if (namespaceURI?.startsWith(UBL)) return `${name} is in the syntax UBL, but invoices in PDFs are in the syntax CII.`;
  return `${name} has the outermost element ${localName}.`;
}

/** Returns the identifier of the rules that an invoice follows (BT-24), or an empty text. */
function guidelineOf(root: Element): string {
  const [context] = CONTEXTS.flatMap((name) => childrenNamed(root, name));
  const [parameter] = childrenNamed(context, "GuidelineSpecifiedDocumentContextParameter");
  return textOf(childrenNamed(parameter, "ID")[0]);
}

const notAnInvoice = (why: string) => new EngineFailure("not-an-invoice", why, { why });
