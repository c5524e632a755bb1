// Uploads two files, merges them and prints the result in base64: with openapi-fetch and the types of openapi-typescript.
// Arguments: URL of the service, paths of two PDFs.
import { readFileSync } from "node:fs";
import createClient from "openapi-fetch";
import type { paths } from "./schema.ts";

type MergedBody = NonNullable<paths["/merged-pdf"]["post"]["requestBody"]>["content"]["application/json"];

const [, , baseUrl = "", ...files] = process.argv;
const client = createClient<paths>({ baseUrl });

const uploaded = await client.POST("/upload", {
  body: { file: files },
  // The types declare a file as a string.
  bodySerializer() {
    const form = new FormData();
    for (const path of files) form.append("file", new Blob([readFileSync(path)]), path);
    return form;
  },
});
if (!uploaded.data) throw new Error(uploaded.error.error);
if (!("files" in uploaded.data)) throw new Error("The answer is not there yet.");

const merging: MergedBody = {
  "id[]": uploaded.data.files.map(({ id }) => id),
  "type[]": ["id", "id"],
  "pages[]": ["all", "1"],
  output: "merged",
};
const merged = await client.POST("/merged-pdf", { body: merging });
if (merged.error) throw new Error(merged.error.error);
if (typeof merged.data !== "object" || !("outputId" in merged.data)) throw new Error("The answer is not JSON.");
const { outputId, outputSize } = merged.data;

const read = { params: { path: { id: outputId }, query: { format: "file" as const } } };
const result = await client.GET("/resource/{id}", { ...read, parseAs: "arrayBuffer" });
if (!result.data || result.data.byteLength !== outputSize) throw new Error("The result has another size.");
const info = await client.GET("/resource/{id}", { params: { path: { id: outputId }, query: { format: "url" } } });
if (!info.data || typeof info.data === "string") throw new Error("The URL is not an object.");
if (!info.data.url.includes(outputId)) throw new Error("The URL is not that of the result.");

const refused = await client.POST("/merged-pdf", { body: { ...merging, "type[]": ["id"] } });
if (refused.error?.error !== "Too many 'file' or 'id' values.") throw new Error("The error is not typed.");

// @ts-expect-error An input is required.
const _nothing: MergedBody = { "type[]": [], "pages[]": [] };
// @ts-expect-error A body is an object.
const _number: MergedBody = 42;

process.stdout.write(Buffer.from(result.data).toString("base64"));
