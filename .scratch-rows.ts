import { readFileSync } from "node:fs";
import { parsePages } from "./src/document/contract/pages.ts";
import { DocumentLayout } from "./src/document/layout/document-layout.ts";
import { startedPages } from "./src/document/layout/read-pages.ts";
import { CONTEXT, inputOf } from "./test/support/operations.ts";
const [file, pages] = process.argv.slice(2);
const layout = new DocumentLayout();
for await (const page of layout.read(await startedPages(inputOf(readFileSync(file!)), parsePages(pages!)!, CONTEXT)))
  for (const b of page.blocks as any[]) console.log(page.number, b.kind, b.level ?? "", b.marker ?? "", b.box.map(Math.round).join(" "), b.lines ? b.lines.map((l: any) => l.words.map((w: any) => w.text).join(" ")).join(" / ").slice(0, 100) : b.rows ? JSON.stringify(b.rows.slice(0, 4).map((r: any) => r.map((c: any) => [c.column, c.lines.map((l: any) => l.words.map((w: any) => w.text).join(" ")).join("/").slice(0, 30)]))) : "");
process.exit(0);
