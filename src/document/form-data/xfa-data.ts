// Reads and replaces the data of an XFA form (XFA 3.3, "Exchanging Data Between an External Application and a Basic XFA
// Form"; ISO 32000-1, 12.7.8): the packet `datasets`, in a stream of its own or in the stream of the whole form.
import type { Document, Element } from "@xmldom/xmldom";
import { EngineFailure } from "../contract/failure.ts";
import { elementsOf, serializeXml } from "../formats/xml.ts";
import type { PdfFile } from "../objects/pdf-file.ts";
import { Dictionary, PdfStream, PdfString, plainBody, type Reference, type Value } from "../objects/values.ts";
import { putForm } from "../pages/parts/forms/put-form.ts";
import { escapeXml, readLooseXml, readXml, xmlBytes } from "./xml-text.ts";

const DATA = "http://www.xfa.org/schema/xfa-data/";
const DATA_1 = `${DATA}1.0/`;
const XDP = "http://ns.adobe.com/xdp/";
const MAX_PACKET_BYTES = 32 * 2 ** 20;

const isOfData = (element: Element, name: string): boolean =>
  element.localName === name && (element.namespaceURI ?? "").startsWith(DATA);

export class XfaData {
  readonly #file: PdfFile;
  readonly #form: Dictionary;
  /** Index of the stream in the array of packets; undefined if the whole form is one stream. */
  readonly #index: number | undefined;
  readonly #document: Document;

  private constructor(file: PdfFile, form: Dictionary, index: number | undefined, document: Document) {
    this.#file = file;
    this.#form = form;
    this.#index = index;
    this.#document = document;
  }

  /**
   * @param form the AcroForm dictionary
   * @returns undefined if the form is no XFA form
   * @throws EngineFailure `damaged` if the data is not well-formed
   */
  static of(file: PdfFile, form: Dictionary): XfaData | undefined {
    const packets = file.resolve(form.get("XFA"));
    if (packets instanceof PdfStream) return new XfaData(file, form, undefined, documentOf(packets));
    if (!Array.isArray(packets)) return undefined;
    const at = packets.findIndex((name) => textOf(file.resolve(name)) === "datasets");
    const stream = file.stream(packets[at + 1]);
    return new XfaData(file, form, at < 0 ? -1 : at + 1, at >= 0 && stream ? documentOf(stream) : emptyDatasets());
  }

  /** The element with the data; undefined if the form has none. */
  get data(): Element | undefined {
    return dataIn(this.#document.documentElement!);
  }

  /** Replaces the content of the data. */
  replace(content: readonly Element[]): void {
    const data = this.data ?? this.#addData();
    while (data.firstChild) data.removeChild(data.firstChild);
    for (const element of content) data.appendChild(this.#document.importNode(element, true));
    this.#write();
  }

  #addData(): Element {
    const root = this.#document.documentElement!;
    const datasets = isOfData(root, "datasets") ? root : this.#document.createElementNS(DATA_1, "xfa:datasets");
    const data = this.#document.createElementNS(DATA_1, "xfa:data");
    if (datasets !== root) root.appendChild(datasets);
    datasets.appendChild(data);
    return data;
  }

  #write(): void {
    const file = this.#file;
    const text = serializeXml(this.#document.documentElement!);
    const stream = file.add(new PdfStream(new Dictionary(), plainBody(new TextEncoder().encode(text))));
    const changed = this.#form.clone().set("XFA", this.#index === undefined ? stream : this.#packetsWith(stream));
    putForm(file, changed);
  }

  /** A form without data gets the packet before its last one, which closes the document (12.7.8, table 224). */
  #packetsWith(stream: Reference): Value {
    const packets = [...this.#file.array(this.#form.get("XFA"))!];
    const index = this.#index!;
    if (index >= 0) packets[index] = stream;
    else packets.splice(Math.max(0, packets.length - 2), 0, PdfString.ofLatin1("datasets"), stream);
    return packets;
  }
}

const textOf = (object: unknown): string | undefined => (object instanceof PdfString ? object.latin1 : undefined);

function documentOf({ body }: PdfStream): Document {
  const root = readLooseXml(body.decoded(MAX_PACKET_BYTES));
  if (!root) throw new EngineFailure("damaged", "the data of its XFA form is not well-formed");
  return root.ownerDocument!;
}

const emptyDatasets = (): Document =>
  readXml(xmlBytes(`<xfa:datasets xmlns:xfa="${DATA_1}"><xfa:data/></xfa:datasets>`))!.ownerDocument!;

/** Returns the element with the data in a package, in datasets, or in itself. */
function dataIn(root: Element): Element | undefined {
  if (isOfData(root, "data")) return root;
  const datasets = isOfData(root, "datasets") ? root : elementsOf(root).find((one) => isOfData(one, "datasets"));
  return datasets && elementsOf(datasets).find((one) => isOfData(one, "data"));
}

/** Returns the data elements of a file: the content of its `data`, or its outermost element. */
export function readXfaData(root: Element): readonly Element[] {
  const data = dataIn(root);
  if (data) return elementsOf(data);
  return isPackage(root) ? [] : [root];
}

const isPackage = (root: Element): boolean =>
  isOfData(root, "data") || isOfData(root, "datasets") || (root.localName === "xdp" && root.namespaceURI === XDP);

/** @param name file name of the PDF */
export function writeXfaData(data: Element | undefined, format: "xfd" | "xdp" | "xml", name: string): Uint8Array {
  const content = data ? elementsOf(data) : [];
  const text = content.map(serializeXml).join("");
  const packet = `<xfa:data xmlns:xfa="${DATA_1}">${text}</xfa:data>`;
  if (format === "xml") return xmlBytes(content.length === 1 ? text : packet);
  const datasets = `<xfa:datasets xmlns:xfa="${DATA_1}">${packet}</xfa:datasets>`;
  if (format === "xfd") return xmlBytes(datasets);
  const pdf = `<pdf href="${escapeXml(name)}" xmlns="${XDP}pdf/"/>`;
  return xmlBytes(`<xdp:xdp xmlns:xdp="${XDP}">${datasets}${pdf}</xdp:xdp>`);
}
