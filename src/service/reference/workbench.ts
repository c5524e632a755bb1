// Serves the workbench: the page at `/`, and the assets that site/build.ts generates.
import { files } from "#site/files.js";
import type { Describe } from "../http/contract/description.ts";
import { noSuchEndpoint } from "../http/contract/errors.ts";

const PAGE = "workbench/index.html";
const FOLDER = "/workbench/";

export const WORKBENCH_PATHS: readonly string[] = [
  "/",
  ...Object.keys(files).flatMap((path) => (path === PAGE ? [] : [`/${path}`])),
];

/**
 * Allows only the scripts of this service, and connections only to this service. Forbids framing. Images can have blob
 * URLs, because the script fetches some of them by POST.
 */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' blob:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");

/**
 * @param path one of {@link WORKBENCH_PATHS}
 * @throws ServiceError 404 if an API client requests the page
 */
export function readWorkbench(path: string, accept: string | undefined): Response {
  if (path === "/" && wantsJson(accept)) throw noSuchEndpoint();
  const { type, etag, text, base64 } = files[path === "/" ? PAGE : path.slice(1)]!;
  const headers = {
    "Content-Type": type,
    "Cache-Control": "no-cache",
    ETag: `"${etag}"`,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Content-Security-Policy": POLICY,
    ...(path === "/" ? { Vary: "Accept" } : {}),
  };
  return new Response(text ?? Buffer.from(base64!, "base64"), { headers });
}

const wantsJson = (accept = ""): boolean => accept.includes("application/json") && !accept.includes("text/html");

const NOT_MODIFIED = { description: "It has not changed." };

const describePage: Describe = () => ({
  path: "/",
  section: "workbench",
  operations: [
    {
      ...{ method: "get", id: "workbench", tag: "Service", errors: [noSuchEndpoint()] },
      summary: "Returns the workbench, a page that tries the operations.",
      responses: {
        200: { description: "The page.", content: { "text/html": { schema: { type: "string" } } } },
        304: NOT_MODIFIED,
      },
    },
  ],
});

/** The media types of the assets. */
const TYPES = [...new Set(Object.values(files).map(({ type }) => type.replace(/;.*/, "")))].toSorted();
const CONTENT = Object.fromEntries(TYPES.map((type) => [type, { schema: { type: "string", format: "binary" } }]));

const describeFile: Describe = () => ({
  path: `${FOLDER}{file}`,
  section: "workbench",
  placeholders: { file: { description: "Name of a file of the workbench.", example: "style.css" } },
  operations: [
    {
      ...{ method: "get", id: "workbench-file", tag: "Service", errors: [noSuchEndpoint()] },
      summary: "Returns a file that the workbench loads.",
      responses: {
        200: { description: "The file.", content: CONTENT },
        304: NOT_MODIFIED,
      },
    },
  ],
});

/** Descriptions of the paths that this file serves. */
export const workbenchDescriptions: readonly Describe[] = [describePage, describeFile];
