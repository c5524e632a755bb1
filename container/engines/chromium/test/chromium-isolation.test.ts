// Tests that no page reaches a host that is not public. Tries every known way twice: first with a listener that must
// receive nothing, then with the listener on the allow-list, which proves that the way works.
// Contract: docs/api.md#pdf
import type { IncomingMessage, ServerResponse } from "node:http";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { html, openScratch, print, startChromium } from "../../../../test/support/chromiums.ts";
import { privateAddresses } from "../../../../test/support/private-addresses.ts";
import { type Ear, openEar, type Site, startDns, startSite } from "../../../../test/support/web.ts";
import type { Chromium, PageSource } from "../chromium.ts";

openScratch();

/**
 * Whether a request reaches an allowed listener. `always`: it does. `never`: the browser does not send such a request
 * at all.
 */
type Heard = "always" | "never";
type Form = readonly [name: string, heard: Heard, source: (ear: string, port: number) => PageSource | string];

const page = (body: string, head = "") => `<!doctype html><title>t</title>${head}<body>before ${body}`;
const script = (code: string) => page(`<script>${code}</script>`);
const url = (text: string): PageSource => ({ url: text });
const svg = (body: string) =>
  `<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" width="9" height="9">${body}</svg>`;
const dataUrl = (type: string, text: string) => `data:${type};base64,${Buffer.from(text).toString("base64")}`;

/** Adds a slow image, so that printing waits until the page's background work is done. */
const slowly = (text: string) => `${text}<img src="${site.url}/slow">`;

/** Returns the URL at which the allowed site redirects to `to`. */
const redirect = (status: number, to: string) => `${site.url}/${status}/${encodeURIComponent(to)}`;

const addresses: Form[] = privateAddresses.map(([name, heard, address]) => [
  name,
  heard,
  (_, port) => url(address(port)),
]);

const redirects: Form[] = [301, 302, 303, 307, 308].map((status) => [
  `a redirect, ${status}`,
  "always",
  (ear) => url(redirect(status, `${ear}/`)),
]);

const navigations: Form[] = [
  ["meta refresh", "always", (ear) => page("", `<meta http-equiv="refresh" content="0;url=${ear}/">`)],
  ["a Refresh header", "always", (ear) => url(`${site.url}/refresh/${encodeURIComponent(`${ear}/`)}`)],
  ["location", "always", (ear) => script(`location = "${ear}/"`)],
  ["location, by a redirect", "always", (ear) => script(`location = "${redirect(302, `${ear}/`)}"`)],
  [
    "a form that submits itself",
    "always",
    (ear) => page(`<form action="${ear}/" method=post></form><script>document.forms[0].submit()</script>`),
  ],
  ["a click", "always", (ear) => page(`<a id=a href="${ear}/">x</a><script>a.click()</script>`)],
  ["window.open", "never", (ear) => script(`open("${ear}/")`)],
  ["a link that pings", "never", (ear) => page(`<a id=a href="#x" ping="${ear}/">x</a><script>a.click()</script>`)],
  ["view-source:", "never", (ear) => script(`location = "view-source:${ear}/"`)],
  ["filesystem:", "never", (ear) => script(`location = "filesystem:${ear}/temporary/x"`)],
  ["javascript:", "always", (ear) => script(`location = "javascript:fetch('${ear}/')"`)],
];

const elements: Form[] = [
  ["an image", "always", (ear) => page(`<img src="${ear}/">`)],
  ["an image, by a redirect", "always", (ear) => page(`<img src="${redirect(302, `${ear}/`)}">`)],
  [
    "an image that is lazy",
    "always",
    (ear) => page(`<div style="height:9000px"></div><img loading=lazy src="${ear}/">`),
  ],
  ["srcset", "always", (ear) => page(`<img srcset="${ear}/ 1x">`)],
  ["picture", "always", (ear) => page(`<picture><source srcset="${ear}/"><img></picture>`)],
  ["an input's image", "always", (ear) => page(`<input type=image src="${ear}/">`)],
  ["a frame", "always", (ear) => page(`<iframe src="${ear}/"></iframe>`)],
  ["a frame, by a redirect", "always", (ear) => page(`<iframe src="${redirect(307, `${ear}/`)}"></iframe>`)],
  ["a frame's srcdoc", "always", (ear) => page(`<iframe srcdoc="<img src='${ear}/'>"></iframe>`)],
  [
    "a frame of data:",
    "always",
    (ear) => page(`<iframe src="${dataUrl("text/html", `<img src="${ear}/">`)}"></iframe>`),
  ],
  [
    "data: in data:",
    "always",
    (ear) =>
      page(
        `<iframe src="${dataUrl("text/html", `<iframe src='${dataUrl("text/html", `<img src="${ear}/">`)}'>`)}"></iframe>`,
      ),
  ],
  [
    "a frame of blob:",
    "always",
    (ear) =>
      script(
        `const f = document.createElement("iframe"); f.src = URL.createObjectURL(new Blob(["<img src='${ear}/'>"], { type: "text/html" })); document.body.append(f)`,
      ),
  ],
  ["a frameset", "always", (ear) => `<!doctype html><frameset cols="*"><frame src="${ear}/"></frameset>`],
  ["object", "always", (ear) => page(`<object data="${ear}/"></object>`)],
  ["embed", "always", (ear) => page(`<embed src="${ear}/">`)],
  ["object of a PDF", "never", (ear) => page(`<object type="application/pdf" data="${ear}/x.pdf"></object>`)],
  ["video", "always", (ear) => page(`<video src="${ear}/" autoplay muted></video>`)],
  ["a video's poster", "always", (ear) => page(`<video poster="${ear}/"></video>`)],
  [
    "a video's track",
    "always",
    (ear) =>
      page(
        `<video crossorigin muted><track default src="${ear}/"></video><script>document.querySelector("track").track.mode = "showing"</script>`,
      ),
  ],
  ["audio", "always", (ear) => page(`<audio src="${ear}/" preload=auto></audio>`)],
  ["a style sheet", "always", (ear) => page("", `<link rel=stylesheet href="${ear}/">`)],
  ["a style sheet for print", "always", (ear) => page("", `<link rel=stylesheet media=print href="${ear}/">`)],
  ["@import", "always", (ear) => page("", `<style>@import "${ear}/";</style>`)],
  ["url() of a background", "always", (ear) => page("", `<style>body { background: url(${ear}/) }</style>`)],
  [
    "url() of print alone",
    "always",
    (ear) => page("", `<style>@media print { body { background: url(${ear}/) } }</style>`),
  ],
  ["url() of generated content", "always", (ear) => page("", `<style>body::after { content: url(${ear}/) }</style>`)],
  [
    "a font",
    "always",
    (ear) => page("", `<style>@font-face { font-family: f; src: url(${ear}/) } body { font-family: f }</style>`),
  ],
  ["a cursor", "never", (ear) => page("", `<style>body { cursor: url(${ear}/), auto }</style>`)],
  ["a mask", "always", (ear) => page("", `<style>body { mask-image: url(${ear}/) }</style>`)],
  ["a filter", "never", (ear) => page("", `<style>body { filter: url(${ear}/#f) }</style>`)],
  ["an SVG image", "always", (ear) => page(svg(`<image href="${ear}/" width="9" height="9"/>`))],
  ["an SVG image, xlink", "always", (ear) => page(svg(`<image xlink:href="${ear}/" width="9" height="9"/>`))],
  ["an SVG's use", "never", (ear) => page(svg(`<use href="${ear}/#x"/>`))],
  [
    "an SVG's feImage",
    "always",
    (ear) =>
      page(svg(`<filter id="f"><feImage href="${ear}/"/></filter><rect width="9" height="9" filter="url(#f)"/>`)),
  ],
  [
    "an SVG's foreignObject",
    "always",
    (ear) =>
      page(
        svg(
          `<foreignObject width="9" height="9"><img xmlns="http://www.w3.org/1999/xhtml" src="${ear}/"/></foreignObject>`,
        ),
      ),
  ],
  [
    "an SVG as an image",
    "never",
    (ear) => page(`<img src="${dataUrl("image/svg+xml", svg(`<image href="${ear}/" width="9" height="9"/>`))}">`),
  ],
  [
    "XSLT",
    "never",
    (ear) =>
      html(
        `<?xml version="1.0"?><?xml-stylesheet type="text/xsl" href="${ear}/"?><html xmlns="http://www.w3.org/1999/xhtml"><body>x</body></html>`,
        "application/xhtml+xml",
      ),
  ],
  [
    "an XML style sheet",
    "always",
    (ear) =>
      html(
        `<?xml version="1.0"?><?xml-stylesheet type="text/css" href="${ear}/"?><html xmlns="http://www.w3.org/1999/xhtml"><body>x</body></html>`,
        "application/xhtml+xml",
      ),
  ],
  [
    "an external entity",
    "never",
    (ear) =>
      html(
        `<?xml version="1.0"?><!DOCTYPE html [<!ENTITY e SYSTEM "${ear}/">]><html xmlns="http://www.w3.org/1999/xhtml"><body>&e;</body></html>`,
        "application/xhtml+xml",
      ),
  ],
  ["prefetch", "always", (ear) => page("", `<link rel=prefetch href="${ear}/">`)],
  ["preload", "always", (ear) => page("", `<link rel=preload as=image href="${ear}/">`)],
  ["modulepreload", "always", (ear) => page("", `<link rel=modulepreload href="${ear}/">`)],
  ["preconnect", "never", (ear) => page("", `<link rel=preconnect href="${ear}">`)],
  ["dns-prefetch", "never", (ear) => page("", `<link rel=dns-prefetch href="${ear}">`)],
  [
    "speculation rules",
    "never",
    (ear) => page(`<script type=speculationrules>{"prefetch":[{"source":"list","urls":["${ear}/"]}]}</script>`),
  ],
  ["a manifest", "never", (ear) => page("", `<link rel=manifest href="${ear}/">`)],
  ["an icon", "never", (ear) => page("", `<link rel=icon href="${ear}/">`)],
  ["base", "always", (ear) => page("<img src=x>", `<base href="${ear}/">`)],
  ["a fenced frame", "never", (ear) => page(`<fencedframe src="${ear}/"></fencedframe>`)],
];

const scripts: Form[] = [
  ["fetch", "always", (ear) => script(`fetch("${ear}/")`)],
  ["fetch without CORS", "always", (ear) => script(`fetch("${ear}/", { mode: "no-cors" })`)],
  ["fetch, kept alive", "always", (ear) => script(`fetch("${ear}/", { keepalive: true, method: "POST", body: "x" })`)],
  ["fetch, by a redirect", "always", (ear) => script(`fetch("${redirect(308, `${ear}/`)}")`)],
  [
    "fetch of a public name, by a redirect to a name",
    "never",
    (_, port) => script(`fetch("${redirect(302, `http://loopback.attack.net:${port}/`)}")`),
  ],
  ["XMLHttpRequest", "always", (ear) => script(`const x = new XMLHttpRequest(); x.open("GET", "${ear}/"); x.send()`)],
  [
    "XMLHttpRequest, synchronous",
    "always",
    (ear) => script(`const x = new XMLHttpRequest(); x.open("GET", "${ear}/", false); x.send()`),
  ],
  ["a beacon", "always", (ear) => script(`navigator.sendBeacon("${ear}/", "x")`)],
  ["a WebSocket", "always", (ear) => script(`new WebSocket("${ear.replace("http", "ws")}/")`)],
  ["a WebSocket in TLS", "always", (ear) => script(`new WebSocket("${ear.replace("http", "wss")}/")`)],
  ["an EventSource", "always", (ear) => script(`new EventSource("${ear}/")`)],
  ["a script", "always", (ear) => page(`<script src="${ear}/"></script>`)],
  ["a module", "always", (ear) => page(`<script type=module>import "${ear}/"</script>`)],
  ["a dynamic import", "always", (ear) => script(`import("${ear}/")`)],
  [
    "an import map",
    "always",
    (ear) => page(`<script type=importmap>{"imports":{"x":"${ear}/"}}</script><script type=module>import "x"</script>`),
  ],
  [
    "importScripts of a worker",
    "always",
    (ear) => script(`new Worker(URL.createObjectURL(new Blob(["importScripts('${ear}/')"])))`),
  ],
  ["fetch of a worker", "always", (ear) => script(`new Worker(URL.createObjectURL(new Blob(["fetch('${ear}/')"])))`)],
  [
    "fetch of a shared worker",
    "always",
    (ear) => script(`new SharedWorker(URL.createObjectURL(new Blob(["fetch('${ear}/')"])))`),
  ],
  ["a service worker", "always", (ear) => url(`${site.url}/service-worker/${encodeURIComponent(`${ear}/`)}`)],
  [
    "WebRTC, STUN",
    "never",
    (_, port) =>
      script(
        `const c = new RTCPeerConnection({ iceServers: [{ urls: "stun:127.0.0.1:${port}" }] }); c.createDataChannel("x"); c.createOffer().then((o) => c.setLocalDescription(o))`,
      ),
  ],
  [
    "WebRTC, TURN over TCP",
    "never",
    (_, port) =>
      slowly(
        script(
          `const c = new RTCPeerConnection({ iceServers: [{ urls: "turn:127.0.0.1:${port}?transport=tcp", username: "a", credential: "b" }] }); c.createDataChannel("x"); c.createOffer().then((o) => c.setLocalDescription(o))`,
        ),
      ),
  ],
  [
    "WebRTC to a candidate",
    "never",
    (_, port) =>
      script(
        `(async () => { const a = new RTCPeerConnection(), b = new RTCPeerConnection(); a.createDataChannel("x"); await a.setLocalDescription(); await b.setRemoteDescription(a.localDescription); await b.setLocalDescription(); await a.setRemoteDescription(b.localDescription); await a.addIceCandidate({ candidate: "candidate:1 1 udp 1 127.0.0.1 ${port} typ host", sdpMid: "0" }) })()`,
      ),
  ],
  ["WebTransport", "never", (_, port) => script(`new WebTransport("https://127.0.0.1:${port}/")`)],
  ["fetchLater", "never", (ear) => script(`window.fetchLater?.("${ear}/", { activateAfter: 0 })`)],
  ["a paint worklet", "always", (ear) => url(`${site.url}/worklet/${encodeURIComponent(`${ear}/`)}`)],
  ["the Reporting API", "never", (ear) => url(`${site.url}/report/${encodeURIComponent(`${ear}/`)}`)],
  ["a violated policy's report", "always", (ear) => url(`${site.url}/csp/${encodeURIComponent(`${ear}/`)}`)],
];

let site: Site;
let ear: Ear;
let dns: Awaited<ReturnType<typeof startDns>>;

/** Serves the attacker's own site, which every page can visit. */
function answer(request: IncomingMessage, response: ServerResponse): void {
  const [, what = "", encoded = ""] = (request.url ?? "").split("/");
  const target = decodeURIComponent(encoded);
  const send = (text: string, headers: Record<string, string> = {}) => {
    response.writeHead(200, { "Content-Type": "text/html", "Access-Control-Allow-Origin": "*", ...headers }).end(text);
  };
  const javascript = { "Content-Type": "text/javascript" };
  if (/^30\d$/.test(what)) {
    response.writeHead(Number(what), { Location: target, "Access-Control-Allow-Origin": "*" }).end();
  } else if (what === "refresh") send(page(""), { Refresh: `0;url=${target}` });
  else if (what === "service-worker") {
    send(slowly(script(`navigator.serviceWorker.register("/sw?${encodeURIComponent(target)}")`)));
  } else if (what.startsWith("sw?")) send(`fetch("${decodeURIComponent(what.slice(3))}")`, javascript);
  else if (what === "worklet") send(script(`CSS.paintWorklet.addModule("${target}")`));
  else if (what === "report") {
    const groups = JSON.stringify({ group: "g", max_age: 99, endpoints: [{ url: target }] });
    send(page("<img src=/404>"), { "Report-To": groups, NEL: '{"report_to":"g","max_age":99,"success_fraction":1}' });
  } else if (what === "csp") {
    send(page("<img src=/x>"), { "Content-Security-Policy": `img-src 'none'; report-uri ${target}` });
  } else if (what === "slow") setTimeout(() => response.writeHead(204).end(), 1_000);
  else response.writeHead(404).end();
}

beforeAll(async () => {
  ear = await openEar();
  site = await startSite(answer);
  dns = await startDns((name) => (name === "loopback6.attack.net" ? ["::1"] : ["127.0.0.1"]));
});
afterAll(async () => {
  await ear?.[Symbol.asyncDispose]();
  await site?.[Symbol.asyncDispose]();
  await dns?.[Symbol.asyncDispose]();
});

/** Allows the listener's port as a web port, so that only the listener's address is forbidden. */
function start(allow: string, network: "namespace" | "flags" = "namespace"): Promise<Chromium> {
  const web = { allow, usualPorts: [80, 443, ear.port], dnsServers: [dns.address] };
  const confinement = { network, sandbox: true };
  return startChromium({ ready: 2, web, confinement, limits: { settleMs: 1_500, parseMs: 6_000 } });
}

/** Waits for requests that the page has sent and that have not arrived. */
const arriving = () => new Promise((resolve) => setTimeout(resolve, 50));

async function visits(chromium: Chromium, [, , source]: Form): Promise<number> {
  const before = ear.count;
  await print(chromium, source(`http://127.0.0.1:${ear.port}`, ear.port)).catch(() => {});
  await arriving();
  return ear.count - before;
}

const all: Form[] = [...addresses, ...redirects, ...navigations, ...elements, ...scripts];

test("the forms are many", () => {
  expect(new Set(all.map(([name]) => name)).size).toBe(all.length);
  expect(all.filter(([, heard]) => heard === "always").length).toBeGreaterThan(60);
});

describe.each([
  ["in a network of its own", "namespace"],
  ["kept to the proxy by flags", "flags"],
] as const)("a browser %s: a place that is not public hears nothing of", (_, network) => {
  let chromium: Chromium;
  beforeAll(async () => {
    chromium = await start(`127.0.0.1:${site.port}`, network);
    expect(chromium.confinement?.network).toBe(network);
  });
  afterAll(() => chromium?.close());

  test.each(all)("%s", async (...form) => {
    expect(await visits(chromium, form)).toBe(0);
  });
});

describe("a place that is allowed hears of", () => {
  let chromium: Chromium;
  beforeAll(async () => {
    chromium = await start(`127.0.0.1:* 0.0.0.0:* localhost:* [::1]:* [::]:* [::ffff:127.0.0.1]:*`);
  });
  afterAll(() => chromium?.close());

  test.each(all.filter(([, heard]) => heard === "always"))("%s", async (...form) => {
    expect(await visits(chromium, form)).toBeGreaterThan(0);
  });
});
