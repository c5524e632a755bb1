// Declares /zip, which packs files into a zip archive.
import { defineEndpoint } from "../http/endpoint.ts";
import { duplicateField } from "../http/errors.ts";
import { outputName } from "../http/fields.ts";
import { zipFiles } from "../operations/zip-files.ts";
import { streamingJob } from "../placement/placement.ts";

export const zip = defineEndpoint({
  path: "/zip",
  variants: ["private", "keyed"],
  summary: "Packs files into a .zip archive.",
  input: { kind: "several", description: "Any file" },
  fields: { output: outputName("Name of the archive, without extension.") },
  outputNaming: "name",
  produces: "application/zip",
  allowsLargerUploads: true,
  errors: [duplicateField("output")],
  createJob: () => streamingJob(zipFiles, {}),
});
