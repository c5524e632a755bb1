// Shows one page as a picture that the service has drawn. Stored documents themselves are never opened by the browser.
import { useEffect, useState } from "preact/hooks";
import { isPicture, type Side } from "../../model/pairs.ts";
import type { Problem } from "../../model/problems.ts";
import type { State } from "../../model/state.ts";
import { drawPage, fileAddress, RequestError, urlOf } from "../../session/service.ts";

const WIDTH = 1000;
/** A letter page is about as wide then. */
const DPI = 120;

export interface Shown {
  readonly address?: string;
  readonly problem?: Problem;
}

/** Returns the address of a page's picture, once there is one. */
export function usePicture(side: Side | undefined, { service, apiKey }: State): Shown {
  const [drawn, setDrawn] = useState<Shown & { readonly name?: string }>({});
  const name = side && `${side.id} ${side.page}`;
  const isDrawn = side !== undefined && !isPicture(side.type) && !service?.pagePictures;
  useEffect(() => {
    if (!isDrawn || !side) return;
    let address: string | undefined;
    let isOver = false;
    drawPage(side.id, side.page, { key: apiKey, dpi: DPI }).then(
      (blob) => {
        if (isOver) return;
        address = URL.createObjectURL(blob);
        setDrawn({ address, ...(name ? { name } : {}) });
      },
      (error) => {
        if (!isOver && error instanceof RequestError) setDrawn({ problem: error.problem, ...(name ? { name } : {}) });
      },
    );
    return () => {
      isOver = true;
      if (address !== undefined) URL.revokeObjectURL(address);
    };
  }, [name, isDrawn]);
  if (!side) return {};
  if (isDrawn) return drawn.name === name ? drawn : {};
  if (isPicture(side.type)) return { address: fileAddress(side.id) };
  return { address: urlOf(`resource/${side.id}/pages/${side.page}.png?width=${WIDTH}`) };
}

/** Asks an address that gave no picture for its sentence. */
export async function problemAt(address: string): Promise<Problem> {
  const lost = { status: 0, sentence: "The picture could not be loaded." };
  const response = await fetch(address).catch(() => undefined);
  if (!response || response.ok) return lost;
  const { error = lost.sentence } = (await response.json().catch(() => ({}))) as { error?: string };
  return { status: response.status, sentence: error };
}
