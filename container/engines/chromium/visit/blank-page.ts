// Opens a blank page in a context, ready to be visited.

import { emulate } from "../devices.ts";
import type { LaunchedChromium } from "../launch.ts";
import type { Session } from "../pipe.ts";
import { observing, QUESTIONS } from "../scripts/page-scripts.ts";

/** @throws ProtocolError */
export async function openBlankPage(
  { pipe, version }: LaunchedChromium,
  browserContextId: string,
): Promise<{ readonly targetId: string; readonly session: Session }> {
  void pipe.browser.send("Browser.setDownloadBehavior", { behavior: "deny", browserContextId });
  const { targetId } = await pipe.browser.send("Target.createTarget", {
    url: "about:blank",
    browserContextId,
    // A minimized window is not rendered.
    windowState: "minimized",
  });
  const { sessionId } = await pipe.browser.send("Target.attachToTarget", { targetId, flatten: true });
  const session = pipe.session(sessionId);
  emulate(session, "desktop", version);
  void session.send("Page.addScriptToEvaluateOnNewDocument", { source: observing(QUESTIONS) });
  void session.send("Network.enable", { maxTotalBufferSize: 1 });
  void session.send("Page.enable");
  return { targetId, session };
}
