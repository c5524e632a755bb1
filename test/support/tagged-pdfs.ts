// Makes tagged pages of elements and lines of text.
import { PdfBuilder } from "../fixtures/pdf-builder.ts";

/** A line of text of 10 points, in Helvetica. */
export interface TaggedLine {
  readonly text: string;
  readonly y: number;
  readonly x?: number;
  readonly size?: number;
}

export interface TaggedElement {
  readonly type: string;
  /** Entries of the element, for example `/Alt(a cat)`. */
  readonly entries?: string;
  readonly kids: readonly (TaggedElement | TaggedLine)[];
}

export interface TaggedOptions {
  /** Content without tags. */
  readonly untagged?: readonly TaggedLine[];
  /** Changes the objects of the tree. */
  readonly change?: (builder: PdfBuilder, references: TreeReferences) => void;
}

export interface TreeReferences {
  readonly root: string;
  readonly page: string;
  /** Elements in the order of the tree. */
  readonly elements: readonly string[];
  /** The parent tree's array of elements. */
  readonly owners: string;
}

export const element = (type: string, kids: TaggedElement["kids"], entries = ""): TaggedElement => ({
  type,
  kids,
  entries,
});

const shown = ({ text, x = 20, y, size = 10 }: TaggedLine): string => `BT /F ${size} Tf ${x} ${y} Td (${text}) Tj ET\n`;

/** Returns one page, 300 by 200 points. */
export function taggedPdf(top: readonly TaggedElement[], { untagged = [], change }: TaggedOptions = {}): Uint8Array {
  const builder = new PdfBuilder();
  const [root, page] = [builder.reserve(), builder.reserve()];
  const [elements, owners, contents]: [string[], string[], string[]] = [[], [], []];
  const add = ({ type, kids, entries = "" }: TaggedElement, parent: string): string => {
    const own = builder.reserve();
    elements.push(own);
    const items = kids.map((kid) => {
      if ("kids" in kid) return add(kid, own);
      contents.push(`/${type} <</MCID ${owners.length}>> BDC\n${shown(kid)}EMC\n`);
      return owners.push(own) - 1;
    });
    builder.set(own, `<</S/${type}/P ${parent}/Pg ${page}/K[${items.join(" ")}]${entries}>>`);
    return own;
  };
  const kids = top.map((one) => add(one, root));
  const array = builder.add(`[${owners.join(" ")}]`);
  builder.set(root, `<</Type/StructTreeRoot/K[${kids.join(" ")}]/ParentTree<</Nums[0 ${array}]>>>>`);
  builder.catalog = `/MarkInfo<</Marked true>>/StructTreeRoot ${root}`;
  const marked = contents.join("") + untagged.map((line) => `/Artifact BMC\n${shown(line)}EMC\n`).join("");
  builder.page(marked, "/StructParents 0", "", page);
  change?.(builder, { root, page, elements, owners: array });
  return builder.bytes();
}
