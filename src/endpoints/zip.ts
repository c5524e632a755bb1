// Declares /zip, which packs files into a zip archive.
import { endpoint } from "../http/endpoint.ts";
import { moreThanOneKey } from "../http/errors.ts";
import { outputName } from "../http/fields.ts";
import { zipFiles } from "../operations/zip-files.ts";
import { streaming } from "../placement/placement.ts";

export const zip = endpoint({
  path: "/zip",
  variants: ["private", "keyed"],
  summary: "Packs files into a .zip archive.",
  source: { kind: "several", description: "Any file" },
  fields: { output: outputName("Name of the archive, without extension.") },
  naming: "name",
  produces: "application/zip",
  setsUploadLimit: true,
  errors: [moreThanOneKey("output")],
  prepare: () => streaming(zipFiles, {}),
});
