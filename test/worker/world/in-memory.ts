// Reads the streams of arguments and results into memory, because a stream would last for several trips, and nobody
// could look at its bytes.

/** A value that the service can use in place of the original, and what it contains. */
interface Held {
  readonly value: unknown;
  readonly content: unknown;
}

export async function hold(value: unknown): Promise<Held> {
  if (value instanceof ReadableStream) {
    const bytes = await new Response(value).bytes();
    return { value: bytes, content: bytes };
  }
  if (value instanceof Request) {
    const { url, method, headers, signal, cf } = value;
    const body = value.body && (await value.bytes());
    const init = { method, headers, signal, body, redirect: "manual", ...(cf ? { cf } : {}) };
    return { value: new Request(url, init as RequestInit), content: [url, headers, body] };
  }
  if (value instanceof Response) {
    const bytes = value.body && (await value.bytes());
    return { value: new Response(bytes, value), content: [value.headers, bytes] };
  }
  if (!isObjectBody(value)) return { value, content: value };
  const bytes = await value.bytes();
  return { value: objectBody(value, bytes), content: [value, bytes] };
}

const isObjectBody = (value: unknown): value is R2ObjectBody =>
  typeof value === "object" && value !== null && "etag" in value && "body" in value;

const READERS: ReadonlySet<string> = new Set(["body", "bytes", "arrayBuffer", "text", "json", "blob"]);

function objectBody(stored: R2ObjectBody, bytes: Uint8Array): R2ObjectBody {
  const response = new Response(bytes as Uint8Array<ArrayBuffer>);
  return new Proxy(stored, {
    get(_, property) {
      const target = READERS.has(String(property)) ? response : stored;
      const value = Reflect.get(target, property) as unknown;
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
}
