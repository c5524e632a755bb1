// Declares /zip, which adds files to a new zip archive.

import { zipFiles } from "../../operations/zip-files.ts";
import { defineEndpoint } from "../../service/http/contract/endpoint.ts";
import { duplicateField } from "../../service/http/contract/errors.ts";

export const zip = defineEndpoint({
  path: "/zip",
  ...{ verb: "zip", title: "Zip", group: "Store" },
  joinedName: "archive",
  variants: ["private", "keyed"],
  summary: "Packs files into a .zip archive.",
  inputs: { file: { kind: "several", description: "Any file" } },
  operation: zipFiles,
  memory: "nothing",
  output: {
    ...{ kind: "files", naming: "name", type: "application/zip" },
    description: "Name of the archive, without extension.",
  },
  allowsLargerUploads: true,
  errors: [duplicateField("output")],
});
