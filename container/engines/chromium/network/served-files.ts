// Defines the files that the proxy itself serves to a page: an uploaded document, and the files to which it refers.

/** An uploaded document. The proxy itself serves it at the root of {@link DOCUMENT_HOST}. */
export interface ServedDocument {
  /** Media type, optionally with a charset. */
  readonly type: string;
  /** True if the document has no access to the web and runs no scripts. @default false */
  readonly isSealed?: boolean;
  /** True if the document runs no scripts, because it shares its renderer. @default false */
  readonly isStatic?: boolean;
  stream(): NodeJS.ReadableStream;
}

/** The files to which an uploaded document refers, at the same host. */
export interface ServedFiles {
  /** @param path decoded path, without the slash at the start */
  find(path: string): ServedDocument | undefined;
}

/**
 * Host of an uploaded document: a name that cannot be registered (RFC 6761). Browsers treat it as a secure context,
 * like a local file (Secure Contexts, 3.1).
 */
export const DOCUMENT_HOST = "document.localhost";

/** Returns the file at a URL. @returns undefined if there is none, or the URL is encoded incorrectly */
export function servedAt(
  { pathname }: URL,
  document: ServedDocument | undefined,
  files: ServedFiles | undefined,
): ServedDocument | undefined {
  if (pathname === "/") return document;
  try {
    return files?.find(decodeURIComponent(pathname.slice(1)));
  } catch {
    return undefined;
  }
}

/** Marks the responses that come from the proxy itself (RFC 9209). */
export const REFUSAL = { name: "Proxy-Status", value: "pagewright; error=destination_unavailable" };

/** Reports whether the proxy itself made a response with an error status. */
export const isOwnRefusal = (headers: Readonly<Record<string, string>>): boolean =>
  headers[REFUSAL.name] === REFUSAL.value;
