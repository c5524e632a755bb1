// Tests what remains of HTML from documents: nothing that runs or loads.
import { describe, expect, test } from "vitest";
import type { Mail } from "../../../../src/document/formats/mail/mail.ts";
import { mailPage } from "../../../../src/document/texts/mail-page.ts";
import { markdownPage } from "../../../../src/document/texts/markdown-page.ts";
import { sanitized } from "../../../../src/document/texts/sanitize.ts";

const NO_IMAGES = { image: () => undefined };
const clean = (html: string) => sanitized(html, NO_IMAGES);

describe("HTML", () => {
  test.each([
    ["a script", "a<script>alert(1)</script>b", "ab"],
    ["an event handler", '<p onclick="alert(1)">a</p>', "<p>a</p>"],
    ["a script in an address", '<a href="javascript:alert(1)">a</a>', "<a>a</a>"],
    ["a disguised script in an address", '<a href=" java\tscript:alert(1)">a</a>', "<a>a</a>"],
    ["frames and objects", "<iframe src=x></iframe><object data=x></object><embed src=x>", ""],
    ["a style", '<style>p{}</style><p style="color:red">a</p>', "<p>a</p>"],
    ["a refresh, a base and links", '<meta http-equiv=refresh content="0;url=x"><base href=x><link href=x>', ""],
    ["a drawing with a script", "<svg><script>1</script></svg><math><mtext></mtext></math>", ""],
    ["a template", "<template><img src=x></template>", ""],
    ["an unknown element", "<o:p>a</o:p>", "a"],
    ["an image", '<img src="http://10.0.0.1/a.png" alt="A&quot;">', '<span class="missing-image">A&quot;</span>'],
    [
      "an element that is not closed",
      "<table><tr><td><b>a",
      "<table><tbody><tr><td><b>a</b></td></tr></tbody></table>",
    ],
    ["text", '1 < 2 & "3"', "1 &lt; 2 &amp; &quot;3&quot;"],
  ])("%s", (_, html, expected) => expect(clean(html)).toBe(expected));

  test("nested without end", () => {
    const html = clean("<div>".repeat(20_000));
    expect(html.match(/<div>/g)!.length).toBeLessThan(500);
    expect(html.match(/<div>/g)!.length).toBe(html.match(/<\/div>/g)!.length);
  });

  test("a style sheet cannot end its element", () => {
    const html = sanitized("<style>a{}/*</style><script>*/</style>", { ...NO_IMAGES, keepsStyles: true });
    expect(html).toBe("<style>a{}/*</style>");
  });
});

describe("Markdown", () => {
  const page = (text: string, showsHtml = false) => markdownPage(text, NO_IMAGES, showsHtml);

  test("hides its front matter, and takes its title", () => {
    expect(page("---\ntitle: 'A'\n---\n# B\n")).toMatchObject({ title: "A", html: '<h1 id="b">B</h1>\n' });
    expect(page("# B *c*\n").title).toBe("B c");
  });

  test("has tables, tasks, footnotes, alerts and anchors", () => {
    const { html } = page(
      "|a|b|\n|-|-:|\n|1|2|\n\n- [x] t\n\nn[^1]\n\n> [!TIP]\n> x\n\n# A b\n\n# A b\n\n[^1]: note\n",
    );
    for (const part of [
      ...['<td align="right">2</td>', '<input checked="" disabled="" type="checkbox"> t', 'class="footnotes"'],
      ...['<div class="alert alert-tip">', 'id="a-b"', 'id="a-b-1"'],
    ]) {
      expect(html).toContain(part);
    }
  });

  test("shows its HTML as text on request", () => {
    expect(page("<b>a</b>", true).html).toContain("&lt;b&gt;");
    expect(page("<b>a</b>").html).toContain("<b>a</b>");
  });
});

describe("an e-mail", () => {
  const mail: Mail = {
    from: [{ name: "<img src=x>", address: "a@example.com" }],
    ...{ to: [], cc: [], bcc: [], subject: "<script>1</script>", date: "</td><b>" },
    html: '<style>@page{size:a4} .x{page:y}</style><img src="cid:1"><img src="https://example.com/t.gif">',
    attachments: [
      { name: "a.png", type: "image/png", contentId: "1", bytes: Buffer.from("89504e470d0a1a0a", "hex") },
      { name: '"><script>', type: "text/plain", bytes: Buffer.from("ab") },
    ],
  };

  test("shows its own images, counts those on the web, and escapes headers and names", () => {
    const { body, missingImages, attachments } = mailPage(mail);
    const html = [...body].join("");
    expect(missingImages).toBe(1);
    expect(attachments).toHaveLength(1);
    expect(html).toContain('<img src="data:image/png;base64,');
    expect(html).not.toMatch(/<script|<img src=x|https:|@page|page:/);
    expect(html).toContain("1 attachment");
    expect(html).toContain("(2 bytes)");
  });

  test("counts each image that did not come with it, wherever it is", () => {
    const html =
      '<img src="logo.png"><img src="file:///c:/a.png"><img src="cid:none"><img src=""><img src="data:image/png;base64,eA">' +
      "<style>@font-face{font-family:f;src:url(f.woff)} p{background:url('https://example.com/b.png')}</style>" +
      '<p style="background:url(c.png)"><table background="d.png"><tr><td background="cid:1">x</table>' +
      '<p style="background-image:url(cid:1)">';
    const { body, missingImages, attachments } = mailPage({ ...mail, html });
    expect(missingImages).toBe(6);
    expect(attachments).toHaveLength(1);
    const page = [...body].join("");
    expect(page).toContain('<td background="data:image/png;base64,');
    expect(page).toContain("background-image:url(&quot;data:image/png;base64,");
    expect(page).not.toMatch(/b\.png|c\.png|d\.png/);
  });
});
