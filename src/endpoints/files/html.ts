// Declares /html, which stores a string of HTML as a file.

import { saveHtml } from "../../operations/to-pdf/save-html.ts";
import { defineEndpoint } from "../../service/http/contract/endpoint.ts";
import { outputName } from "../../service/http/contract/fields.ts";
import { streamingJob } from "../../service/placement/placement.ts";

export const html = defineEndpoint({
  path: "/html",
  verb: "html",
  title: "HTML text",
  group: "Store",
  variants: ["private", "keyed"],
  summary: "Saves a string of HTML as an .html file.",
  input: { kind: "text", field: "content", description: "HTML, as a field or as a file part." },
  fields: { output: outputName("Name of the file, without extension.") },
  outputNaming: "name",
  produces: "text/html",
  createJob: () => streamingJob(saveHtml, {}),
});
