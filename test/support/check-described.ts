// Fails every test over HTTP that receives a response other than /openapi.json describes.
import { Description } from "./described.ts";

const descriptions = new Map<string, Promise<Description>>();
const problems: string[] = [];
const fetched = globalThis.fetch;

globalThis.fetch = async (input, init) => {
  const response = await fetched(input, init);
  const { origin, pathname } = new URL(input instanceof Request ? input.url : input);
  // Only the service sends this header.
  if (!response.headers.has("X-Request-Id")) return response;
  const method = (init?.method ?? (input instanceof Request ? input.method : "GET")).toUpperCase();
  // Skips CORS preflight requests: the description covers only the actual request.
  if (method === "OPTIONS" && new Headers(init?.headers).has("Access-Control-Request-Method")) return response;
  const isJson = /^application\/json\b/.test(response.headers.get("Content-Type") ?? "");
  const overridden = new Headers(init?.headers).get("X-HTTP-Method-Override");
  const isStored = isJson && response.headers.has("Content-Disposition");
  const body = isJson && !isStored && method !== "HEAD" ? await response.clone().json() : undefined;
  const description = await descriptionOf(origin);
  for (const problem of description.problemsOf(overridden ?? method, pathname, response, body)) {
    problems.push(`${method} ${pathname} ${response.status}: ${problem}`);
  }
  return response;
};

function descriptionOf(origin: string): Promise<Description> {
  let description = descriptions.get(origin);
  if (!description) {
    description = fetched(`${origin}/openapi.json`)
      .then((response) => response.json())
      .then((document) => new Description(document));
    descriptions.set(origin, description);
  }
  return description;
}

export function failIfUndescribed(): void {
  const found = [...new Set(problems.splice(0))];
  if (found.length > 0) throw new Error(`Not as /openapi.json describes it:\n${found.join("\n")}`);
}
