// Fetches style sheets that come from other origins, because the page's scripts cannot read them.

import type { Session } from "./pipe.ts";
import type { SheetText } from "./scripts/paper-scripts.ts";

/** Maximum number of characters of all sheets together. Further sheets are ignored. */
const MAX_LENGTH = 2 ** 23;

/** @returns all style sheets that have a URL. @throws ProtocolError */
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
