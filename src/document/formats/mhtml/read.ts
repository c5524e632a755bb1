// Reads web archives (MHTML, RFC 2557): a page with its resources in one file.

import PostalMime from "postal-mime";
import { EngineFailure } from "../../contract/failure.ts";
import { LIMITS } from "../../contract/limits.ts";

export interface ArchivedResource {
  /** Media type, lowercase. */
  readonly type: string;
  /** Address from which the resource was saved. @default none */
  readonly location?: string;
  /** Content-ID without angle brackets. @default none */
  readonly contentId?: string;
  readonly bytes: Uint8Array;
}

export interface WebArchive {
  readonly title: string | undefined;
  /** The page: the first HTML, or the part that the archive names as its start. */
  readonly page: ArchivedResource & { readonly charset: string | undefined };
  readonly resources: readonly ArchivedResource[];
}

/** The properties of a parsed part that are used here. */
interface Part {
  readonly childNodes: readonly Part[];
  readonly contentType: {
    readonly parsed: { readonly value: string; readonly params: Readonly<Record<string, string>> };
  };
  readonly contentId?: string;
  readonly headers: readonly { readonly key: string; readonly value: string }[];
  readonly content: ArrayBuffer | null;
}

/** @throws EngineFailure `unsupported` for an archive without a page, `too-complex` beyond the limits */
export async function readWebArchive(bytes: Uint8Array): Promise<WebArchive> {
  // The parser keeps the parts, but its result lacks their addresses.
  const parser = new PostalMime({ maxNestingDepth: LIMITS.mailDepth });
  const email = await parser.parse(bytes).catch((error: unknown) => {
    throw new EngineFailure("too-complex", String(error), { cause: error });
  });
  const { root } = parser as unknown as { readonly root: Part };
  const parts = leavesOf(root);
  if (parts.length > LIMITS.mailParts) throw new EngineFailure("too-complex", "too many parts");
  const start = root.contentType.parsed.params.start?.replace(/^<|>$/g, "");
  const isPage = (part: Part) => /^(?:text\/html|application\/xhtml\+xml)$/.test(part.contentType.parsed.value);
  const page = parts.find((part) => start !== undefined && idOf(part) === start && isPage(part)) ?? parts.find(isPage);
  if (!page) throw new EngineFailure("unsupported", "a web archive without a page");
  return {
    title: email.subject,
    page: { ...resourceOf(page), charset: page.contentType.parsed.params.charset },
    resources: parts.filter((part) => part !== page).map(resourceOf),
  };
}

function leavesOf(root: Part): Part[] {
  const leaves: Part[] = [];
  const open = [root];
  for (let part = open.pop(); part; part = open.pop()) {
    if (part.childNodes.length === 0) leaves.push(part);
    else open.push(...part.childNodes.toReversed());
  }
  return leaves;
}

const idOf = ({ contentId }: Part): string | undefined => contentId?.trim().replace(/^<|>$/g, "");

function resourceOf(part: Part): ArchivedResource {
  const location = part.headers.find(({ key }) => key === "content-location")?.value.replace(/\s+/g, "");
  const contentId = idOf(part);
  return {
    type: part.contentType.parsed.value.toLowerCase(),
    ...(location ? { location } : {}),
    ...(contentId ? { contentId } : {}),
    bytes: new Uint8Array(part.content ?? new ArrayBuffer(0)),
  };
}
