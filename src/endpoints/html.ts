// Declares /html, which stores a string of HTML as a file.
import { endpoint } from "../http/endpoint.ts";
import { outputName } from "../http/fields.ts";
import { saveHtml } from "../operations/save-html.ts";
import { streaming } from "../placement/placement.ts";

export const html = endpoint({
  path: "/html",
  variants: ["private", "keyed"],
  summary: "Saves a string of HTML as an .html file.",
  source: { kind: "text", field: "content", description: "HTML, as a field or as a file part." },
  fields: { output: outputName("Name of the file, without extension.") },
  naming: "name",
  produces: "text/html",
  prepare: () => streaming(saveHtml, {}),
});
