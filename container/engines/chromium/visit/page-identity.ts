// Sets the cookies, the headers, the user agent and known responses of a page before it is loaded.

import { OutOfRange } from "../../../../src/document/contract/failure.ts";
import type { PageCookie, PageVisit } from "../../../../src/document/contract/parameters/web-page.ts";
import { ProtocolError, type Session } from "../pipe.ts";
import { KeptResponses } from "./kept-response.ts";
import type { PageLocation } from "./page-setting.ts";

/**
 * Prepares a visit.
 * @param location URL of the page: only its origin receives the headers; and its responses, if they are known
 * @throws OutOfRange `cookies` for a cookie that the browser rejects, such as one for a whole top-level domain
 */
export async function introduce(
  session: Session,
  { url, kept }: Pick<PageLocation, "url" | "kept">,
  visit: PageVisit,
): Promise<void> {
  const { cookies = [], headers = {}, userAgent } = visit;
  if (userAgent !== undefined) void session.send("Emulation.setUserAgentOverride", { userAgent });
  if (kept || Object.keys(headers).length > 0) {
    changeRequests(session, new URL(url).origin, headers, kept && new KeptResponses(kept));
  }
  for (const [index, cookie] of cookies.entries()) await setCookie(session, cookie, index);
}

async function setCookie(session: Session, cookie: PageCookie, index: number): Promise<void> {
  const { name, value, domain, path = "/", secure = false, httpOnly = false, sameSite } = cookie;
  const set = { name, value, domain, path, secure, httpOnly, ...(sameSite ? { sameSite } : {}) };
  const isSet = await session.send("Network.setCookie", set).then(
    ({ success }) => success,
    (error: unknown) => {
      if (error instanceof ProtocolError) return false;
      throw error;
    },
  );
  if (!isSet) throw new OutOfRange(`cookies.${index}`, name, "The browser rejects the cookie.");
}

/**
 * Answers the first requests with known responses, and adds headers to the others to one origin. The browser itself
 * would send extra headers to every server. A redirect to another origin repeats the headers of the request, so they are
 * removed there.
 */
function changeRequests(
  session: Session,
  origin: string,
  headers: Readonly<Record<string, string>>,
  kept: KeptResponses | undefined,
): void {
  const own = Object.entries(headers).map(([name, value]) => ({ name, value }));
  const names = new Set(own.map(({ name }) => name.toLowerCase()));
  session.on("Fetch.requestPaused", (paused) => {
    const { requestId, request, redirectedRequestId } = paused;
    if (kept && !kept.isEmpty) {
      const isAnswered = kept.answer(session, paused);
      if (kept.isEmpty && own.length === 0) void session.send("Fetch.disable");
      if (isAnswered) return;
    }
    const isOwn = URL.canParse(request.url) && new URL(request.url).origin === origin;
    if (!isOwn && redirectedRequestId === undefined) return void session.send("Fetch.continueRequest", { requestId });
    const others = Object.entries(request.headers)
      .filter(([name]) => !names.has(name.toLowerCase()))
      .map(([name, value]) => ({ name, value }));
    void session.send("Fetch.continueRequest", { requestId, headers: isOwn ? [...others, ...own] : others });
  });
  void session.send("Fetch.enable", { patterns: [own.length > 0 ? {} : { resourceType: "Document" }] });
}
