// A string of HTML as an .html file, byte for byte.
import type { Operation } from "../core/operation.ts";

export const saveHtml: Operation<Record<string, never>> = async function* ([content]) {
  yield { extension: "html", type: "text/html; charset=utf-8", body: content!.stream() };
};
