// A thumbnail of a file's first page, or its file type as text if the page cannot be rendered.
import { useEffect, useState } from "preact/hooks";
import { isPicture, sideOf } from "../model/pairs.ts";
import type { Input } from "../model/state.ts";
import { fileAddress, urlOf } from "../session/service.ts";

/** Twice the displayed size, for high-density screens. */
const WIDTH = 96;
/** The service sends image files at full size, so larger images have no thumbnail. */
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
  if (!side || info?.problem !== undefined) return undefined;
  if (isPicture(side.type)) return info!.size <= MAX_PICTURE_BYTES ? fileAddress(side.id) : undefined;
  return urlOf(`resource/${side.id}/pages/1.png?width=${WIDTH}`);
}

const extensionIn = (name: string): string => /\.(\w+)$/.exec(name)?.[1]?.slice(0, MAX_LETTERS).toUpperCase() ?? "";
