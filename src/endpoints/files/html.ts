// Declares /html, which stores a string of HTML as a file.

import { saveHtml } from "../../operations/to-pdf/save-html.ts";
import { defineEndpoint } from "../../service/http/contract/endpoint.ts";

export const html = defineEndpoint({
  path: "/html",
  ...{ verb: "html", title: "HTML text", group: "Store" },
  variants: ["private", "keyed"],
  summary: "Saves a string of HTML as an .html file.",
  inputs: { content: { kind: "text", description: "HTML, as a field or as a file part." } },
  operation: saveHtml,
  memory: "nothing",
  output: { kind: "files", naming: "name", type: "text/html" },
});
