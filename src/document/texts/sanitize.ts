// Keeps the harmless part of HTML from documents: known elements and attributes. Nothing in it runs or loads anything.

import { type DefaultTreeAdapterMap, parseFragment } from "parse5";
import { escaped } from "./page.ts";

/** Decides about images and the style of a document. */
export interface Sanitizing {
  /** Returns the attributes of an image; undefined leaves it out and shows its alternative text. */
  image(source: string, alt: string | undefined): { readonly source: string; readonly alt?: string } | undefined;
  /** True if style sheets and style attributes stay, as in e-mail. @default false */
  readonly keepsStyles?: boolean;
  /** Returns the text of a style sheet with its references replaced. @default unchanged */
  style?(css: string): string;
}

type Node = DefaultTreeAdapterMap["childNode"];
type Element = DefaultTreeAdapterMap["element"];

/** Elements that GitHub allows in Markdown, and those of e-mail. */
const ELEMENTS = new Set(
  (
    "h1 h2 h3 h4 h5 h6 br b i strong em a pre code img tt div ins del sup sub p ol ul li table thead tbody tfoot " +
    "blockquote dl dt dd kbd q samp var hr ruby rt rp tr td th s strike summary details caption figure figcaption " +
    "abbr bdo bdi cite dfn mark small span time wbr section article header footer main nav aside address picture u " +
    "font center big col colgroup map area input"
  ).split(" "),
);
const STYLES = new Set(["style"]);
/** Elements that are left out with their content. Other unknown elements leave their content in place. */
const DROPPED = new Set(
  (
    "script style title noscript template iframe object embed applet frameset frame svg math textarea select button " +
    "audio video source track canvas link meta base param xml noembed noframes plaintext head"
  ).split(" "),
);
const VOID = new Set(["br", "hr", "img", "wbr", "col", "area", "input"]);

const ATTRIBUTES = new Set(
  (
    "abbr align alt axis border cellpadding cellspacing char charoff clear color cols colspan compact coords datetime " +
    "dir face frame headers height hspace id itemprop label lang name noshade nowrap open rows rowspan rules scope " +
    "shape size span start summary title type usemap valign value vspace width bgcolor class checked disabled"
  ).split(" "),
);
const ADDRESS = /^(?:https?:|mailto:|tel:|ftp:|#)/i;
/** Levels of elements that are kept: browsers limit them to 512, too. */
const DEEPEST = 400;

/** Returns the harmless part of HTML, as HTML whose elements are all closed. */
export function sanitized(html: string, sanitizing: Sanitizing): string {
  let out = "";
  const open: { readonly nodes: readonly Node[]; at: number; readonly end: string }[] = [
    { nodes: parseFragment(html).childNodes, at: 0, end: "" },
  ];
  // A loop instead of recursion, because a document can nest elements without limit.
  while (open.length > 0) {
    const level = open.at(-1)!;
    const node = level.nodes[level.at++];
    if (!node) {
      out += level.end;
      open.pop();
    } else if (node.nodeName === "#text") {
      out += escaped((node as DefaultTreeAdapterMap["textNode"]).value);
    } else if ("tagName" in node) {
      const { start, end, isOpen } = tagsOf(node, sanitizing, open.length > DEEPEST);
      out += start;
      if (isOpen) open.push({ nodes: node.childNodes, at: 0, end });
    }
  }
  return out;
}

interface Tags {
  readonly start: string;
  readonly end: string;
  /** True if the content follows. */
  readonly isOpen: boolean;
}

function tagsOf(element: Element, sanitizing: Sanitizing, isTooDeep: boolean): Tags {
  const { tagName: name } = element;
  if (name === "img") return { start: imageOf(element, sanitizing), end: "", isOpen: false };
  if (STYLES.has(name) && sanitizing.keepsStyles) {
    return { start: `<style>${styleOf(element, sanitizing)}</style>`, end: "", isOpen: false };
  }
  if (DROPPED.has(name)) return { start: "", end: "", isOpen: false };
  const isCheckbox = attributeOf(element, "type")?.toLowerCase() === "checkbox";
  if (isTooDeep || !ELEMENTS.has(name) || (name === "input" && !isCheckbox))
    return { start: "", end: "", isOpen: true };
  const start = `<${name}${attributesOf(element, sanitizing)}>`;
  return VOID.has(name) ? { start, end: "", isOpen: false } : { start, end: `</${name}>`, isOpen: true };
}

const attributeOf = ({ attrs }: Element, name: string): string | undefined =>
  attrs.find((attribute) => attribute.name === name)?.value;

function attributesOf({ attrs, tagName }: Element, sanitizing: Sanitizing): string {
  let text = "";
  for (const { name, value } of attrs) {
    if (name === "href" && tagName !== "img")
      text += ADDRESS.test(value.trim()) ? ` href="${escaped(value.trim())}"` : "";
    else if (name === "style" && sanitizing.keepsStyles) {
      text += ` style="${escaped(sanitizing.style?.(value) ?? value)}"`;
    } else if (name === "background" && sanitizing.keepsStyles) {
      const image = sanitizing.image(value, undefined);
      text += image ? ` background="${escaped(image.source)}"` : "";
    } else if (ATTRIBUTES.has(name)) text += ` ${name}="${escaped(value)}"`;
  }
  return tagName === "details" && !/ open=/.test(text) ? `${text} open=""` : text;
}

function imageOf(element: Element, sanitizing: Sanitizing): string {
  const alt = attributeOf(element, "alt");
  const image = sanitizing.image(attributeOf(element, "src") ?? "", alt);
  if (!image) return alt ? `<span class="missing-image">${escaped(alt)}</span>` : "";
  const others = attributesOf({ ...element, attrs: element.attrs.filter(({ name }) => name !== "alt") }, sanitizing);
  return `<img src="${escaped(image.source)}" alt="${escaped(image.alt ?? alt ?? "")}"${others}>`;
}

/** Returns the text of a style sheet, which cannot end its element. */
function styleOf(element: Element, { style }: Sanitizing): string {
  const css = element.childNodes
    .map((node) => (node.nodeName === "#text" ? (node as DefaultTreeAdapterMap["textNode"]).value : ""))
    .join("");
  const plain = css.replace(/<!--|-->/g, "");
  return (style?.(plain) ?? plain).replace(/<(?=\/|!)/g, "\\3c ");
}
