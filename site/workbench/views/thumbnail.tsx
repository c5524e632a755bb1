// Shows the first page of a file as a thumbnail. If the page cannot be rendered, shows the file type as text.
import { useEffect, useState } from "preact/hooks";
import { isPicture, sideOf } from "../model/pairs.ts";
import type { Input } from "../model/state.ts";
import { fileAddress, urlOf } from "../session/service.ts";

/** Width of the requested image: twice the displayed width, for high-density screens. */
const WIDTH = 96;
/** Maximum size of an image file with a thumbnail, because the service sends image files at full size. */
const MAX_PICTURE_BYTES = 2 ** 20;
const MAX_LETTERS = 4;

export function Thumbnail({ input }: { input: Input }) {
  const [isBroken, setBroken] = useState(false);
  const address = addressOfPicture(input);
  useEffect(() => setBroken(false), [address]);
  if (address === undefined || isBroken) {
    return (
      <span class="thumbnail" aria-hidden="true">
        {input.url === undefined ? extensionIn(input.name) : "URL"}
      </span>
    );
  }
  return (
    <img
      class="thumbnail"
      src={address}
      alt=""
      loading="lazy"
      decoding="async"
      draggable={false}
      onError={() => setBroken(true)}
    />
  );
}

function addressOfPicture({ id, info }: Input): string | undefined {
  const side = id === undefined || !info ? undefined : sideOf({ id, info, isDeleted: false }, 1);
  if (!side) return undefined;
  if (isPicture(side.type)) return info!.size <= MAX_PICTURE_BYTES ? fileAddress(side.id) : undefined;
  return urlOf(`resource/${side.id}/pages/1.png?width=${WIDTH}`);
}

const extensionIn = (name: string): string => /\.(\w+)$/.exec(name)?.[1]?.slice(0, MAX_LETTERS).toUpperCase() ?? "";
