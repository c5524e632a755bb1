// An endpoint with further files, for tests: a list of images, and either a file or a text. Its operation outputs a
// description of its inputs.
import { defineOperation, type Input } from "../../src/document/contract/operation.ts";
import { optional } from "../../src/document/contract/parameter.ts";
import { fileName } from "../../src/document/contract/parameters/text.ts";
import { defineEndpoint } from "../../src/service/http/contract/endpoint.ts";

const tell = async (input: Input) => [
  input.role ?? "document",
  input.name,
  new TextDecoder().decode(await input.bytes()),
];

export const stamping = defineEndpoint({
  ...{ path: "/stamped", verb: "stamp", title: "Stamp", group: "Store", variants: ["private"], summary: "Stamps." },
  example: { image_files: ["logo.txt", "seal.txt"] },
  inputs: {
    file: { kind: "one", description: "any file" },
    image_files: { kind: "one", description: "texts", accepts: (type) => type === "text/plain", isList: true },
    mark_file: { kind: "one", description: "any file", insteadOf: "mark_text" },
  },
  operation: defineOperation({
    name: "stamp",
    parameters: { markText: optional("Text of the mark", fileName) },
    async *run(inputs) {
      const body = new TextEncoder().encode(JSON.stringify({ told: await Promise.all(inputs.map(tell)) }));
      yield { extension: "json", type: "application/json", body };
    },
  }),
  output: { kind: "data", type: "application/json", schema: { told: {} } },
});
