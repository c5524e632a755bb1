// Fetches the style sheets from other origins, which scripts of the page cannot read.

import type { Session } from "./pipe.ts";
import type { SheetText } from "./scripts/paper-scripts.ts";

/** Maximum number of characters of all sheets together; sheets beyond it are left out. */
const MAX_LENGTH = 2 ** 23;

/** @returns the style sheets that have a URL. @throws ProtocolError */
export async function readStyleSheets(session: Session): Promise<readonly SheetText[]> {
  const found: { readonly id: string; readonly url: string }[] = [];
  let length = 0;
  session.on("CSS.styleSheetAdded", ({ header }) => {
    if (header.origin !== "regular" || header.isInline || header.disabled || header.isConstructed) return;
    length += header.length;
    if (length <= MAX_LENGTH) found.push({ id: header.styleSheetId, url: header.sourceURL });
  });
  void session.send("DOM.enable");
  await session.send("CSS.enable");
  const texts = found.map(async ({ id, url }) => {
    const { text } = await session.send("CSS.getStyleSheetText", { styleSheetId: id });
    return { url, text };
  });
  const sheets = await Promise.all(texts);
  void session.send("CSS.disable");
  return sheets;
}
