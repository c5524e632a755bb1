// Reads what a client prefers: the header fields Prefer (RFC 7240) and Response-Type.

/** A preference. Its value is empty if it has none. */
interface Preference {
  readonly value: string;
  readonly parameters: ReadonlyMap<string, string>;
}

/** How a client asks for an answer later: by Prefer (RFC 7240, 4.1) or by Response-Type. */
export type AsyncMode = "respond-async" | "requestId";

/** @returns undefined if the client waits for the answer */
export function parseAsyncMode(headers: Headers): AsyncMode | undefined {
  if (headers.get("Response-Type")?.trim().toLowerCase() === "requestid") return "requestId";
  return parsePreferences(headers).get("respond-async")?.value === "" ? "respond-async" : undefined;
}

/** @returns preferences by name. Names are in lower case; of two with the same name the first counts, as of parameters */
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

/** Splits text at a character outside of quoted strings. */
function split(text: string, at: "," | ";"): readonly string[] {
  return text.match(at === "," ? /(?:"(?:[^"\\]|\\.)*"?|[^,"])+/g : /(?:"(?:[^"\\]|\\.)*"?|[^;"])+/g) ?? [];
}

/** @returns a name in lower case, and a value without quotes */
function pairIn(text: string): readonly [name: string, value: string] {
  const at = text.indexOf("=");
  if (at < 0) return [text.trim().toLowerCase(), ""];
  const word = text.slice(at + 1).trim();
  const value = word.startsWith('"') ? word.replace(/^"|"$/g, "").replace(/\\(.)/g, "$1") : word;
  return [text.slice(0, at).trim().toLowerCase(), value];
}
