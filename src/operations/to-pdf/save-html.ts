// Stores a string of HTML as an .html file, byte for byte.
import { defineOperation, type Run } from "../../document/contract/operation.ts";

const run: Run<Record<string, never>> = async function* ([content]) {
  yield { extension: "html", type: "text/html; charset=utf-8", body: content!.stream() };
};

export const saveHtml = defineOperation({ name: "save-html", parameters: {}, run });
