// An HTTP client with little overhead, and statistics for measurements.
import { Agent, request } from "node:http";

/**
 * Reuses its connection, but closes it before the service would. Bodies are built in advance, so that measurements
 * exclude the client's work.
 */
export const agent = new Agent({ keepAlive: true, timeout: 3000 });
const BOUNDARY = "bench-frontier";

export interface FilePart {
  readonly name: string;
  readonly bytes: Uint8Array;
}

/** Returns a body with fields of one or several values, and files in the field `file`. */
export function multipart(
  fields: Readonly<Record<string, string | number | readonly string[]>>,
  files: readonly FilePart[],
): Buffer {
  const part = (name: string) => `--${BOUNDARY}\r\nContent-Disposition: form-data; name="${name}"`;
  const texts = Object.entries(fields).flatMap(([name, given]) =>
    (Array.isArray(given) ? given : [given]).map((value) => `${part(name)}\r\n\r\n${value}\r\n`),
  );
  const pieces = files.flatMap(({ name, bytes }) => [
    Buffer.from(`${part("file")}; filename="${name}"\r\n\r\n`),
    bytes,
    Buffer.from("\r\n"),
  ]);
  return Buffer.concat([Buffer.from(texts.join("")), ...pieces, Buffer.from(`--${BOUNDARY}--\r\n`)]);
}

/** Sends a GET request, or a POST request if there is a body from {@link multipart}. */
export function exchange(url: string, body?: Buffer, headers: Readonly<Record<string, string>> = {}): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const about = body
      ? { "Content-Type": `multipart/form-data; boundary=${BOUNDARY}`, "Content-Length": body.length }
      : {};
    const method = body ? "POST" : "GET";
    const asking = request(url, { agent, method, headers: { ...about, ...headers } }, (response) => {
      const chunks: Buffer[] = [];
      response.on("data", (chunk: Buffer) => chunks.push(chunk));
      response.on("end", () => resolve(Buffer.concat(chunks)));
      response.on("error", reject);
    });
    asking.on("error", reject);
    asking.end(body);
  });
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)]!;
}

export function row([first, ...rest]: readonly string[]): string {
  return `${first!.slice(0, 32).padEnd(33)}${rest.map((cell) => cell.padStart(11)).join(" ")}`;
}
