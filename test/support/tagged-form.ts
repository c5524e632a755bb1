// A tagged form, and the structure element of its field.
import { PdfBuilder } from "../fixtures/pdf-builder.ts";
import { type Json, PdfJson } from "./pdf-json.ts";

/** Returns one page with a tagged text field. @param entries of the field */
export function taggedForm(entries = "/F 4"): Uint8Array {
  const builder = new PdfBuilder();
  const [root, part, form, page] = [builder.reserve(), builder.reserve(), builder.reserve(), builder.reserve()];
  const look = builder.stream("0 0 100 20 re f", "/Subtype/Form/BBox[0 0 100 20]");
  const names = "/FT/Tx/T(a)/TU(Your name)/StructParent 0";
  const field = builder.add(`<</Type/Annot/Subtype/Widget${names}/Rect[20 20 120 40]${entries}/AP<</N ${look}>>>>`);
  builder.set(root, `<</Type/StructTreeRoot/K ${part}/ParentTree<</Nums[0 ${form}]>>/ParentTreeNextKey 1>>`);
  builder.set(part, `<</Type/StructElem/S/Part/P ${root}/K[${form}]>>`);
  builder.set(form, `<</Type/StructElem/S/Form/P ${part}/Pg ${page}/K<</Type/OBJR/Obj ${field}>>>>`);
  builder.catalog = `/MarkInfo<</Marked true>>/StructTreeRoot ${root}/AcroForm<</Fields[${field}]>>`;
  builder.page("%()", `/Annots[${field}]`, "", page);
  return builder.bytes();
}

/** Returns the element of the field, with the identifiers of its content, or undefined if there is none. */
export function formElement(pdf: Uint8Array) {
  const json = new PdfJson(pdf);
  const root = json.at(json.catalog, "StructTreeRoot");
  const element = json.dictionaries.find((dictionary: Json) => dictionary["/S"] === "/Form" && "/P" in dictionary);
  if (!element) return undefined;
  const kids: Json[] = [json.get(element["/K"])].flat().map((kid) => json.get(kid));
  const page = json.pages[0];
  const parents = json.get(json.tree(root["/ParentTree"]).get(String(json.at(page, "StructParents"))));
  return {
    type: element["/S"],
    page: json.pageNumber(kids[0]["/Pg"]),
    content: kids.map((kid) => kid["/MCID"]),
    parent: json.get(parents[kids[0]["/MCID"]]) === element,
    attributes: json.get(element["/A"]),
  };
}
