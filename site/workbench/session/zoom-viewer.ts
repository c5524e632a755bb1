// Connects the page to OpenSeadragon. Loaded on demand, because the library is larger than the rest of the page.
import OpenSeadragon from "openseadragon";
import { urlOf } from "./service.ts";

/** A page that the service draws in tiles, or a picture. */
export type Zoomable = { readonly id: string; readonly page: number } | { readonly address: string };

export interface Viewer {
  show(what: Zoomable): Promise<void>;
  zoomBy(factor: number): void;
  reset(): void;
  close(): void;
}

/** @param place element that the viewer fills */
export function openViewer(place: HTMLElement): Viewer {
  declineStyle();
  const isStill = matchMedia("(prefers-reduced-motion: reduce)").matches;
  const viewer = OpenSeadragon({
    element: place,
    showNavigationControl: false,
    drawer: "canvas",
    maxZoomPixelRatio: 4,
    visibilityRatio: 0.5,
    ...(isStill ? { animationTime: 0, immediateRender: true } : { animationTime: 0.4 }),
    gestureSettingsMouse: { clickToZoom: false, dblClickToZoom: true },
  });
  return {
    async show(what) {
      // The source is an object: the addresses in it must be those of this page, not those of the service's public URL.
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
 * Keeps the library from adding an inline style, which the policy of the page forbids: it takes this element, which is
 * none of HTML, for its own.
 */
function declineStyle(): void {
  if (document.querySelector("style[data-openseadragon-mobile-css]")) return;
  const style = document.createElementNS("urn:none", "style");
  style.setAttribute("data-openseadragon-mobile-css", "true");
  document.head.append(style);
}

/** IIIF Image API: the `id` of the description begins the addresses of all tiles. */
async function tiles({ id, page }: { id: string; page: number }): Promise<Record<string, unknown>> {
  const address = urlOf(`iiif/${id}%3A${page}`);
  const response = await fetch(`${address}/info.json`);
  if (!response.ok) throw new Error(`The description of the page has status ${response.status}.`);
  const described = (await response.json()) as Record<string, unknown>;
  return { ...described, ...("@id" in described ? { "@id": address } : { id: address }) };
}
