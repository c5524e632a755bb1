// Tests which HTML documents count as static, so that they can share a renderer (decision 83).
import { expect, test } from "vitest";
import { isStaticPage } from "../../../container/operations/static-page.ts";

const judged = (text: string, charset: string | undefined = "utf-8") => isStaticPage(Buffer.from(text), charset);

const PIXEL = "data:image/gif;base64,R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7";

test.each([
  [
    "an invoice",
    "<!doctype html><html lang=de><title>Invoice &amp; note</title><p style='color: red'>Sum<table border=1>",
  ],
  ["a picture and a link", `<img src="${PIXEL}" alt=x><a href="https://example.com/" target=_blank>x</a>`],
  ["print styles", "<style>@page { size: A5 } @media print { li::before { content: '\\2022' } }</style>"],
  ["a background within itself", `<p style="background: url('${PIXEL}')">`],
  ["a drawing", '<svg viewBox="0 0 9 9"><defs><path id=a d="M0 0h9"/></defs><use href="#a" fill="url(#b)"/></svg>'],
  [
    "a charset and an author",
    '<meta charset=utf-8><meta http-equiv="Content-Type" content="text/html"><meta name=author>',
  ],
  ["links between pages", '<link rel="Next" href=2.html><link rel="up home" href=/>'],
  ["a comment with tags", "<!-- <script>1</script> --><p>x"],
])("%s is static", (_, text) => {
  expect(judged(text)).toBe(true);
});

test.each([
  ["<script>1</script>"],
  ["<p onclick=x()>"],
  ["<svg/onload=x()>"],
  ["<iframe srcdoc=x>"],
  ["<object data=x>"],
  ["<embed src=x>"],
  ["<noscript>x</noscript>"],
  ["<template>x</template>"],
  ["<math><mi>x"],
  ["<input value=x>"],
  ["<base href=/x/>"],
  ['<meta http-equiv=refresh content="0;url=/">'],
  ['<meta http-equiv=" Content-Security-Policy " content="default-src *">'],
  ["<link rel=stylesheet href=data:text/css,>"],
  ["<link rel='alternate stylesheet' href=x.css>"],
  ["<link href=x.css>"],
  ["<img src=x.png>"],
  ["<img src='data:image/svg+xml;base64,AAAA'>"],
  ["<img srcset=x.png>"],
  ["<body background=x.png>"],
  ["<p style='background: url(x.png)'>"],
  ["<p style='background: u\\72l(x.png)'>"],
  ["<p style='background: ur\\6c (x.png)'>"],
  ["<style>@import 'x.css';</style>"],
  ["<style>@\\69mport 'x.css';</style>"],
  ["<style>@font-face { font-family: x; src: url(data:font/ttf,x) }</style>"],
  ["<style>p { animation: x 1s }</style>"],
  ["<svg><use href='x.svg#a'/></svg>"],
  ["<svg><image href=x.png /></svg>"],
  ["<svg><foreignObject><p>"],
  ["<svg><style>@font-f&#97;ce { src: url(#a) }</style>"],
  ["<p style='background: ur\\6c&#13;&#10;(x.png)'>"],
  ["<img src='data:image/png;base64,Qk0='>"],
  ["<p style='background: url(data:image/png;base64,Qk0=)'>"],
  ["<p style='background: url(data:image/png,x)'>"],
  [`<img src="${PIXEL}" name=fonts>`],
  ["<svg><a><animate attributeName=href values=x>"],
  ["<p tabindex=1 autofocus>"],
  ["<dialog open>"],
  ["\0<p>"],
])("%s is not static", (text) => {
  expect(judged(`<p>before</p>${text}`)).toBe(false);
  expect(judged("<p>before</p>")).toBe(true);
});

test("a text in which the browser could find a tag is not static, because the browser decides by the place", () => {
  for (const text of [
    "<svg><style><script>1</script></style></svg>",
    "<svg><title><script>1</script></title></svg>",
    '<svg><style><!-- </style><a title="--><script>1</script>"></a>',
    "<svg><style/><script>1</script>",
    "<svg><![CDATA[><script>1</script>]]></svg>",
    "<style>p::before { content: '<b>' }</style>",
    "<title>a < b</title>",
    "<style><script>1</script>",
  ]) {
    expect(judged(text), text).toBe(false);
  }
});

test("only encodings in which tags are readable as ASCII are static", () => {
  for (const charset of ["utf-8", "windows-1252", "iso-8859-2", "koi8-r"]) expect(judged("<p>x", charset)).toBe(true);
  for (const charset of ["iso-2022-jp", "utf-16le", "shift_jis", "gbk", "x-user-defined", undefined]) {
    expect(isStaticPage(Buffer.from("<p>x"), charset), charset).toBe(false);
  }
});

test("a document that is long, or takes long to read, is not static", () => {
  const row = "<tr><td>One<td>Two";
  expect(judged(`<table>${row.repeat(1000)}`)).toBe(true);
  expect(judged(`<table>${row.repeat(10_000)}`)).toBe(false);
  const started = performance.now();
  judged(`<p ${Array.from({ length: 13_000 }, (_, index) => `data-${index}`).join(" ")}>`);
  expect(performance.now() - started).toBeLessThan(5000);
});
