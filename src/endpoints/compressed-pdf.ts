// Declares /compressed-pdf, which reduces the file size of a PDF.

import { compressionProfile } from "../document/compression/profile.ts";
import { mayBePdf } from "../document/contract/media-type.ts";
import type { CompressParams } from "../operations/compress-pdf.ts";
import { compressionSteps } from "../operations/compression-steps.ts";
import { defineEndpoint } from "../service/http/contract/endpoint.ts";
import { fieldRequired, fieldTooLarge, outOfRange, profileNotJson } from "../service/http/contract/errors.ts";
import { choice, jsonFile, outputName, storedFile } from "../service/http/contract/fields.ts";
import { checkProfile, readJsonFile } from "../service/http/requests/profile.ts";
import { stepsJob } from "../service/placement/placement.ts";

export const compressedPdf = defineEndpoint({
  path: "/compressed-pdf",
  verb: "compress",
  title: "Compress",
  group: "Improve a PDF",
  variants: ["private", "keyed"],
  summary: "Reduces the file size of a PDF.",
  example: { compression_level: "medium" },
  input: { kind: "one", description: "PDF", accepts: mayBePdf },
  fields: {
    output: outputName("Name of the file, without extension."),
    compression_level: choice(
      "low favors fidelity, and high favors a small file; custom uses the settings of the profile.",
      ["low", "medium", "high", "custom"],
    ),
    profile: jsonFile(
      "JSON file with compression settings, at most 1 MB. Required if compression_level is custom, and " +
        "ignored otherwise.",
      {
        requiredIf: { field: "compression_level", is: "custom" },
        content: { name: "CompressionProfile", schema: compressionProfile },
      },
    ),
    profile_id: storedFile("Id of a stored JSON file with compression settings, instead of profile.", "profile"),
  },
  outputNaming: "name",
  produces: "application/pdf",
  keeps: "document",
  extraFields: ["inputSize"],
  allowsLargerUploads: true,
  errors: [
    outOfRange("compression_level", "best"),
    fieldRequired("profile"),
    profileNotJson(),
    fieldTooLarge("profile"),
  ],
  createJob({ compression_level: level, profile: text }) {
    const profile = readJsonFile("profile", text);
    const params: CompressParams =
      level === "custom" ? { level, profile: checkProfile("profile", profile, compressionProfile) } : { level };
    // The output is held in memory until it is known to be smaller than the input.
    return stepsJob(compressionSteps(params), "input-and-output");
  },
});
