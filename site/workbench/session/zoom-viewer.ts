// Connects the page to the library OpenSeadragon. This module is loaded on demand, because the library is larger than
// all other scripts of the page.
import OpenSeadragon from "openseadragon";
import { urlOf } from "./service.ts";

/** A page, of which the service renders tiles, or the URL of an image. */
export type Zoomable = { readonly id: string; readonly page: number } | { readonly address: string };

export interface Viewer {
  show(what: Zoomable): Promise<void>;
  zoomBy(factor: number): void;
  reset(): void;
  close(): void;
}

/** @param element the element in which the viewer is displayed */
export function openViewer(element: HTMLElement): Viewer {
  declineStyle();
  const isStill = matchMedia("(prefers-reduced-motion: reduce)").matches;
  const viewer = OpenSeadragon({
    element,
    showNavigationControl: false,
    drawer: "canvas",
    maxZoomPixelRatio: 4,
    visibilityRatio: 0.5,
    ...(isStill ? { animationTime: 0, immediateRender: true } : { animationTime: 0.4 }),
    gestureSettingsMouse: { clickToZoom: false, dblClickToZoom: true },
  });
  return {
    async show(what) {
      // The tile source is an object instead of a URL, because the tile URLs must have the origin of this page. The
      // description at the URL contains the public origin of the service, which can differ.
      const tileSource = "address" in what ? { type: "image", url: what.address } : await tiles(what);
      viewer.open({ tileSource } as OpenSeadragon.TileSourceSpecifier);
    },
    zoomBy(factor) {
      viewer.viewport.zoomBy(factor).applyConstraints();
    },
    reset() {
      viewer.viewport.goHome();
    },
    close() {
      viewer.destroy();
    },
  };
}

/**
 * Prevents the library from adding an inline style, which the Content-Security-Policy of the page forbids. The library
 * adds no style if it finds this element, which is not an HTML style element.
 */
function declineStyle(): void {
  if (document.querySelector("style[data-openseadragon-mobile-css]")) return;
  const style = document.createElementNS("urn:none", "style");
  style.setAttribute("data-openseadragon-mobile-css", "true");
  document.head.append(style);
}

/**
 * Returns the tile source of a page: its info.json with a different `id`. The URLs of all tiles start with the `id`
 * (IIIF Image API).
 */
async function tiles({ id, page }: { id: string; page: number }): Promise<Record<string, unknown>> {
  const address = urlOf(`iiif/${id}%3A${page}`);
  const response = await fetch(`${address}/info.json`);
  if (!response.ok) throw new Error(`The description of the page has status ${response.status}.`);
  const described = (await response.json()) as Record<string, unknown>;
  return { ...described, ...("@id" in described ? { "@id": address } : { id: address }) };
}
