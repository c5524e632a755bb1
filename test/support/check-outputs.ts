// Fails every test over HTTP if an output contains a scratch path of the service (scratch-paths.ts). Checks files that
// the test reads, and files that its requests stored and it did not read.
import { createHash } from "node:crypto";
import { scratchPathsIn } from "./scratch-paths.ts";

const fetched = globalThis.fetch;
const searched = new Set<string>();
const found: string[] = [];
const unread = new Set<string>();

/** Searches a body only after the test has read all of it, so that tests of slow readers are not affected. */
const { arrayBuffer, bytes, json } = Response.prototype;
Response.prototype.arrayBuffer = async function (this: Response) {
  const body = await arrayBuffer.call(this);
  if (isOurs(this)) search(this.url, new Uint8Array(body));
  return body;
};
Response.prototype.bytes = async function (this: Response) {
  const body = await bytes.call(this);
  if (isOurs(this)) search(this.url, body);
  return body;
};
Response.prototype.json = async function (this: Response) {
  const value = await json.call(this);
  if (isOurs(this)) for (const url of [value?.outputUrl ?? []].flat()) unread.add(url);
  return value;
};

/** Keeps this file's requests out of the traces that tests count (W3C Trace Context, 3.2.2.5). */
const UNSAMPLED = { traceparent: `00-${"1".repeat(32)}-${"1".repeat(16)}-00` };

/** Only the service sends this header. */
const isOurs = ({ headers }: Response) => headers.has("X-Request-Id");

function search(url: string, output: Uint8Array) {
  unread.delete(url);
  const digest = createHash("sha1").update(output).digest("base64");
  if (searched.has(digest)) return;
  searched.add(digest);
  for (const path of scratchPathsIn(output)) found.push(`${url}: ${path}`);
}

export async function failIfLeaking(): Promise<void> {
  const urls = [...unread];
  unread.clear();
  await Promise.all(
    urls.map(async (url) => {
      // The test might have deleted the file or stopped its service.
      const response = await fetched(url, { headers: UNSAMPLED }).catch(() => undefined);
      if (response?.ok) search(url, await bytes.call(response));
      else await response?.body?.cancel();
    }),
  );
  const paths = found.splice(0);
  if (paths.length > 0) throw new Error(`Outputs contain what is the service's own:\n${paths.join("\n")}`);
}
