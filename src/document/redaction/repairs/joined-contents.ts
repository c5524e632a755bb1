// Joins the contents of pages whose parts end within an operation: a search of single parts would not know which
// strings they show (ISO 32000-1, 7.8.2).
import { contentOf, decodeContent } from "../../content/page-content.ts";
import type { PdfFile } from "../../objects/pdf-file.ts";
import { Dictionary, PdfStream, plainBody } from "../../objects/values.ts";
import { completePage } from "../../pages/page-tree.ts";
import { pageDictionary, type SourcePage } from "../../pages/pages.ts";

const TAIL_BYTES = 64;
/** An operator as the last token; or nothing. */
const ENDS_OPERATION = /^\s*$|(?:^|[\s\])>])(?:[A-Za-z]{1,3}[*01]?|['"])\s*$/;

export function joinContents(file: PdfFile, page: SourcePage): void {
  const contents = pageDictionary(file, page).get("Contents");
  const parts = (file.array(contents) ?? []).flatMap((part) => file.stream(part) ?? []);
  if (parts.slice(0, -1).every((part) => endsOperation(decodeContent(part)))) return;
  const dictionary = completePage(file, page);
  dictionary.set("Contents", file.add(new PdfStream(new Dictionary(), plainBody(contentOf(file, contents)))));
  file.put(page.reference, dictionary);
}

const endsOperation = (content: Uint8Array): boolean =>
  ENDS_OPERATION.test(Buffer.from(content.subarray(-TAIL_BYTES)).toString("latin1"));
