// Uploads two files, merges them and prints the result in base64: with the client of @hey-api/openapi-ts.
// Arguments: URL of the service, paths of two PDFs.
import { openAsBlob } from "node:fs";
import { client } from "./hey/client.gen.ts";
import { getResource, mergedPdf, upload } from "./hey/sdk.gen.ts";

const [, , baseUrl = "", ...paths] = process.argv;
client.setConfig({ baseUrl, throwOnError: true });

const files = await Promise.all(paths.map((path) => openAsBlob(path)));
const uploaded = await upload({ body: { file: files }, throwOnError: true });
if (!("files" in uploaded.data)) throw new Error("The answer is not there yet.");
const ids = uploaded.data.files.map(({ id }) => id);
const merged = await mergedPdf({
  body: { "id[]": ids, "type[]": ["id", "id"], "pages[]": ["all", "1"], output: "merged" },
  throwOnError: true,
});
if (!("outputId" in merged.data)) throw new Error("The answer is not there yet.");
const read = { path: { id: merged.data.outputId }, query: { format: "file" as const } };
// The client's types have one type per response, and it requests JSON by default.
const result = await getResource({ ...read, parseAs: "arrayBuffer", throwOnError: true });
process.stdout.write(Buffer.from(result.data as unknown as ArrayBuffer).toString("base64"));
