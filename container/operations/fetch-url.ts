// Fetches a file from the web.

import { isPage } from "../../src/document/contract/web-url.ts";
import { fetchUrl } from "../../src/service/outbound/fetch-url.ts";
import { type DeviceName, userAgentOf } from "../engines/chromium/devices.ts";
import { CONTAINER_LIMITS } from "../limits.ts";
import { encodeOutputs } from "./encode-outputs.ts";
import { nativeOperation } from "./native.ts";

/** @throws EngineFailure, OutOfRange for the reasons of {@link WebFiles.fetch} */
export const nativeFetchUrl = nativeOperation(
  fetchUrl,
  // Assigned to Chromium, so that it runs on an instance for web pages, which has internet access
  // (src/service/placement/instances/pools.ts). Uses only the version of the browser.
  { engine: "chromium", countsAsProbe: false, timeoutMs: CONTAINER_LIMITS.fetchMs, onlyInputs: true },
  async function* ({ signal, log }, { url, maxBytes, visit = {}, keepsPage = false }, { web, chromium }) {
    const usual = keepsPage ? pageHeaders((await chromium.ready(signal)).version, visit.device) : {};
    const file = await web.fetch(url, maxBytes, signal, visit, usual);
    const { name, type, body } = file;
    try {
      if (keepsPage && isPage(type)) {
        const kept = { name: (await web.pages.keep(file, visit)) ?? "", body: new Uint8Array() };
        yield* encodeOutputs([{ extension: "", type, ...kept }], log);
      } else yield* encodeOutputs([{ extension: "", name, type, body }], log);
    } finally {
      await body.return(undefined);
    }
  },
);

/** Headers with which the browser requests a page, because servers choose their pages by them. */
const pageHeaders = (version: string | undefined, device: DeviceName = "desktop") => ({
  ...(version === undefined ? {} : { "User-Agent": userAgentOf(device, version) }),
  Accept: "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,image/apng,*/*;q=0.8",
  "Accept-Language": "en-US",
  "Upgrade-Insecure-Requests": "1",
});
