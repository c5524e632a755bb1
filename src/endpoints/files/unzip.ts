// Declares /unzip, which unpacks a zip archive.
import { mayBeZip } from "../../document/contract/media-type.ts";
import { unzipFiles } from "../../operations/unzip-files.ts";
import { defineEndpoint } from "../../service/http/contract/endpoint.ts";
import { damagedArchive, passwordRequired } from "../../service/http/contract/errors.ts";

export const unzip = defineEndpoint({
  path: "/unzip",
  ...{ verb: "unzip", title: "Unzip", group: "Store" },
  variants: ["private", "keyed"],
  summary: "Unpacks a .zip archive.",
  example: { file: "archive.zip" },
  inputs: { file: { kind: "one", description: "a zip archive", accepts: mayBeZip } },
  operation: unzipFiles,
  memory: "nothing",
  output: {
    ...{ kind: "files", naming: "list", type: "application/octet-stream", keepsNames: true, isOptional: true },
    description: "Name of a new archive, if the response is one; unpacked files keep their names.",
  },
  extraFields: ["files"],
  allowsLargerUploads: true,
  errors: [damagedArchive(), passwordRequired()],
  failures: { damaged: () => damagedArchive() },
});
