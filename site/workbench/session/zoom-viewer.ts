// Connects the page to OpenSeadragon. Loaded on demand, because the library is larger than the rest of the page.
import OpenSeadragon from "openseadragon";
import { urlOf } from "./service.ts";

/** A page that the service renders in tiles, or an image. */
export type Zoomable = { readonly id: string; readonly page: number } | { readonly address: string };

export interface Viewer {
  show(what: Zoomable): Promise<void>;
  zoomBy(factor: number): void;
  reset(): void;
  close(): void;
}

/** @param element the element that contains the viewer */
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
      // The source is an object instead of a URL, because its URLs must have this page's origin, not the service's
      // public origin.
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
 * Prevents the library from adding an inline style, which the page's Content-Security-Policy forbids: the library
 * reuses this non-HTML element.
 */
function declineStyle(): void {
  if (document.querySelector("style[data-openseadragon-mobile-css]")) return;
  const style = document.createElementNS("urn:none", "style");
  style.setAttribute("data-openseadragon-mobile-css", "true");
  document.head.append(style);
}

/** IIIF Image API: the URLs of all tiles start with the `id` of the description. */
async function tiles({ id, page }: { id: string; page: number }): Promise<Record<string, unknown>> {
  const address = urlOf(`iiif/${id}%3A${page}`);
  const response = await fetch(`${address}/info.json`);
  if (!response.ok) throw new Error(`The description of the page has status ${response.status}.`);
  const described = (await response.json()) as Record<string, unknown>;
  return { ...described, ...("@id" in described ? { "@id": address } : { id: address }) };
}
