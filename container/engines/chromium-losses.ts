// Losses that the job did not cause: it is retried after them, as often as each allows. Knows no browser.

/** The browser died, and with it jobs that did not cause it. Another browser may run them. */
export class BrowserGone extends Error {
  override readonly name = "BrowserGone";
}

/** A page's renderer ended, or was ended, before its work was done. The work can be retried. */
export class RendererLost extends Error {
  override readonly name = "RendererLost";
  /** True if the page itself may have caused the loss. */
  readonly isOwnDoing: boolean;

  constructor(message: string, { isOwnDoing }: { readonly isOwnDoing: boolean }) {
    super(message);
    this.isOwnDoing = isOwnDoing;
  }
}

/** The browser lost its network for a moment. */
export class NetworkGone extends Error {
  override readonly name = "NetworkGone";
}
