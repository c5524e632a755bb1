// Defines a leased page, and the limits and the access to the web with which a job uses it.

import type { AddedFont } from "../../../fonts/added-fonts.ts";
import type { ProxySession } from "../network/web-proxy.ts";
import type { Session } from "../pipe.ts";
import type { KeptPage } from "./kept-response.ts";

/** A blank page in a separate context, for one job. */
export interface LeasedPage extends AsyncDisposable {
  readonly session: Session;
  /** ID of the page's main frame. */
  readonly frameId: string;
  /**
   * Makes the page visible. A page starts hidden: it is not rendered and has no animation frames. @throws ProtocolError
   */
  show(): Promise<void>;
  /** Rejects when the page or browser cannot continue: EngineFailure, {@link RendererLost}, {@link BrowserLost}. */
  readonly failed: Promise<never>;
  /** Grants the page access to the web. Without a visit, its requests get no response. */
  visit(visit: ProxySession): void;
  /** Lowers the priority of the page's processes from now on. */
  lower(): void;
  /** Lets the client's next static document have the page. Without this call, the page ends with the lease. */
  keep(): void;
}

export interface PageLimits {
  /** Time limit for loading and parsing the document. */
  readonly parseMs: number;
  /** Time limit for images, fonts and scripts after that. Resources that arrive later are missing from the PDF. */
  readonly settleMs: number;
  /** Time limit for the condition for which the client waits. */
  readonly conditionMs: number;
  /** Time limit for a response of the page. A page whose script does not respond is aborted. */
  readonly answerMs: number;
  /** Time limit for printing. */
  readonly printMs: number;
  /** Maximum size of the PDF. */
  readonly fileBytes: number;
}

/** The page's URL. */
export interface PageLocation {
  readonly url: string;
  /** The responses of the URL, if they are known. */
  readonly kept?: KeptPage | undefined;
  /** True if the URL is only that of an uploaded document within the sandbox. */
  readonly isUpload: boolean;
  /** True if the page seems to have no script and no content that loads only when visible: it need not be shown. */
  readonly isStill: boolean;
  /** True if the page must turn out to be static, because it shares its renderer. @default false */
  readonly isStatic?: boolean;
}

/** What a job needs of the page's browser, limits and access to the web. */
export interface PageSetting {
  readonly location: PageLocation;
  readonly limits: PageLimits;
  /** Version of the browser. */
  readonly version: string;
  readonly signal: AbortSignal;
  /** Fonts for the page. @default none */
  readonly fonts?: readonly AddedFont[];
  /** Reports whether a visit to a host was refused. */
  isRefused(url: string): boolean;
}
