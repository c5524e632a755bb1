// Finds the links of a page by their places.
import { Intervals } from "./intervals.ts";
import type { PageText } from "./page-text.ts";

type Link = PageText["links"][number];

export class Links {
  readonly #places = new Intervals<readonly [index: number, link: Link]>();

  constructor(links: readonly Link[]) {
    for (const [index, link] of links.entries()) this.#places.add(link.box[1], link.box[3], [index, link]);
  }

  /** Returns the address of the first link at a place of the page; undefined if there is none. */
  addressAt(x: number, y: number): string | undefined {
    let [first, address] = [Infinity, undefined as string | undefined];
    for (const list of this.#places.near(y)) {
      for (const [index, { uri, box }] of list) {
        if (index >= first || x < box[0] || x > box[2] || y < box[1] || y > box[3]) continue;
        [first, address] = [index, uri];
      }
    }
    return address;
  }
}
