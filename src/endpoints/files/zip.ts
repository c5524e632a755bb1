// Declares /zip, which packs files into a zip archive.

import { zipFiles } from "../../operations/zip-files.ts";
import { defineEndpoint } from "../../service/http/contract/endpoint.ts";
import { duplicateField } from "../../service/http/contract/errors.ts";
import { outputName } from "../../service/http/contract/fields.ts";
import { streamingJob } from "../../service/placement/placement.ts";

export const zip = defineEndpoint({
  path: "/zip",
  verb: "zip",
  title: "Zip",
  group: "Store",
  variants: ["private", "keyed"],
  summary: "Packs files into a .zip archive.",
  input: { kind: "several", description: "Any file" },
  fields: { output: outputName("Name of the archive, without extension.") },
  outputNaming: "name",
  produces: "application/zip",
  joinedName: "archive",
  allowsLargerUploads: true,
  errors: [duplicateField("output")],
  createJob: () => streamingJob(zipFiles, {}),
});
