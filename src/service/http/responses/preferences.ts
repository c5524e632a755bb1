// Parses client preferences: the headers Prefer (RFC 7240) and Response-Type.

/** A preference of the header Prefer. Its value can be empty. */
interface Preference {
  readonly value: string;
  readonly parameters: ReadonlyMap<string, string>;
}

/**
 * Header that requested an asynchronous response: `Prefer: respond-async` (RFC 7240, 4.1) or `Response-Type:
 * requestId`.
 */
export type AsyncMode = "respond-async" | "requestId";

/** @returns undefined for a synchronous request */
export function parseAsyncMode(headers: Headers): AsyncMode | undefined {
  if (headers.get("Response-Type")?.trim().toLowerCase() === "requestid") return "requestId";
  return parsePreferences(headers).get("respond-async")?.value === "" ? "respond-async" : undefined;
}

/** @returns the time in milliseconds for which the client waits for a response (RFC 7240, 4.3); 0 if it states none */
export function parseWaitMs(headers: Headers): number {
  const { value = "" } = parsePreferences(headers).get("wait") ?? {};
  return /^\d+$/.test(value) ? Number(value) * 1000 : 0;
}

/** @returns the preferences by lowercase name. If a preference or a parameter is repeated, only the first one counts */
export function parsePreferences(headers: Headers): ReadonlyMap<string, Preference> {
  const preferences = new Map<string, Preference>();
  for (const text of split(headers.get("Prefer") ?? "", ",")) {
    const [[name, value] = ["", ""], ...others] = split(text, ";").map(pairIn);
    if (name === "") continue;
    const parameters = new Map<string, string>();
    for (const [key, value] of others) if (!parameters.has(key)) parameters.set(key, value);
    if (!preferences.has(name)) preferences.set(name, { value, parameters });
  }
  return preferences;
}

/** Splits a text at a separator. Ignores separators in quoted strings. */
function split(text: string, at: "," | ";"): readonly string[] {
  return text.match(at === "," ? /(?:"(?:[^"\\]|\\.)*"?|[^,"])+/g : /(?:"(?:[^"\\]|\\.)*"?|[^;"])+/g) ?? [];
}

/** @returns a lowercase name, and a value without quotes */
function pairIn(text: string): readonly [name: string, value: string] {
  const at = text.indexOf("=");
  if (at < 0) return [text.trim().toLowerCase(), ""];
  const word = text.slice(at + 1).trim();
  const value = word.startsWith('"') ? word.replace(/^"|"$/g, "").replace(/\\(.)/g, "$1") : word;
  return [text.slice(0, at).trim().toLowerCase(), value];
}
