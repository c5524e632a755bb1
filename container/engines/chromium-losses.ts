// Losses that are no fault of a job: it is begun again after them, so often as each allows. Knows no browser.

/** The browser died, and with it jobs that were not to blame: another browser may do them. */
export class BrowserGone extends Error {
  override readonly name = "BrowserGone";
}

/** A page's renderer ended, or was ended, before its work was done: it can be begun again. */
export class RendererLost extends Error {
  override readonly name = "RendererLost";
  /** Whether the page itself may have brought that about. */
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
