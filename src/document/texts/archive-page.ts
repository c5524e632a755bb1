// Prints a web archive: its page, with the style sheets and images of the archive in place of their addresses.

import type { ArchivedResource, WebArchive } from "../formats/mhtml/read.ts";
import { decodeText } from "../formats/text/decode.ts";
import { IMAGE_DATA, imageUrl } from "./images.ts";
import { sanitized } from "./sanitize.ts";

interface ArchivePage {
  readonly title: string | undefined;
  readonly html: string;
  /** Number of images that the archive lacks. */
  readonly missingImages: number;
}

const CHARSET = /charset\s*=\s*["']?([\w.:-]{1,40})/i;
const TITLE = /<title[^>]*>([^<]{0,1000})/i;
const BASE = /<base\s[^>]*href\s*=\s*["']?([^"'\s>]+)/i;
/** Levels of style sheets that import others. */
const DEEPEST_IMPORT = 5;
/** Matches an element that loads a style sheet. */
const SHEET_LINK = /<link\b[^>]*>/gi;

export function archivePage({ title, page, resources }: WebArchive): ArchivePage {
  const start = Buffer.from(page.bytes.subarray(0, 4096)).toString("latin1");
  const source = decodeText(page.bytes, page.charset ?? CHARSET.exec(start)?.[1]);
  const base = BASE.exec(source)?.[1] ?? page.location ?? "";
  const places = new Places(resources);
  let missingImages = 0;
  const imageAt = (address: string, from: string): string | undefined => {
    if (IMAGE_DATA.test(address)) return address;
    const resource = places.find(address, from);
    const url = resource && (imageUrl(resource.bytes) ?? drawingUrl(resource));
    if (url === undefined) missingImages++;
    return url;
  };
  const inSheet = (css: string, from: string, depth = 0): string =>
    css
      .replace(/@import\s+(?:url\()?\s*["']?([^"');\s]+)["']?\s*\)?[^;]*;/gi, (_, address: string) => {
        const sheet = depth < DEEPEST_IMPORT ? places.find(address, from) : undefined;
        return sheet ? inSheet(decodeText(sheet.bytes), sheet.location ?? from, depth + 1) : "";
      })
      .replace(/url\(\s*(["']?)([^"')]+)\1\s*\)/gi, (_, _quote, address: string) => {
        const url = /^(?:data:|#)/i.test(address) ? address : imageAt(address, from);
        return url === undefined ? "none" : `url("${url.replaceAll('"', "%22")}")`;
      });
  const linked = source.replace(SHEET_LINK, (link) => {
    const address = /href\s*=\s*["']?([^"'\s>]+)/i.exec(link)?.[1];
    const sheet = /stylesheet/i.test(link) && address ? places.find(unescaped(address), base) : undefined;
    if (!sheet) return "";
    return `<style>${inSheet(decodeText(sheet.bytes), sheet.location ?? base).replace(/<(?=\/|!)/g, "\\3c ")}</style>`;
  });
  const html = sanitized(linked, {
    keepsStyles: true,
    style: (css) => inSheet(css, base),
    image(address) {
      const url = imageAt(address, base);
      return url === undefined ? undefined : { source: url };
    },
  });
  const name = TITLE.exec(source)?.[1]?.trim();
  return { title: name || title, html, missingImages };
}

const unescaped = (address: string): string => address.replace(/&amp;/g, "&");

/** Returns a data URL for a drawing in SVG, whose scripts and references browsers ignore in an image. */
const drawingUrl = ({ type, bytes }: ArchivedResource): string | undefined =>
  type === "image/svg+xml" ? `data:image/svg+xml;base64,${Buffer.from(bytes).toString("base64")}` : undefined;

/** Finds resources by their addresses. */
class Places {
  readonly #byLocation = new Map<string, ArchivedResource>();

  constructor(resources: readonly ArchivedResource[]) {
    for (const resource of resources) {
      if (resource.location) this.#byLocation.set(plain(resource.location), resource);
      if (resource.contentId) this.#byLocation.set(`cid:${resource.contentId}`, resource);
    }
  }

  find(address: string, base: string): ArchivedResource | undefined {
    const absolute = URL.canParse(address, base) ? new URL(address, base).href : address;
    return this.#byLocation.get(plain(address.trim())) ?? this.#byLocation.get(plain(absolute));
  }
}

/** Returns an address without its fragment. */
const plain = (address: string): string => address.replace(/#.*$/, "");
