// Finds the stored document of a page image.

import { mayBePdf } from "../../document/contract/media-type.ts";
import { noSuchFile } from "../http/contract/errors.ts";
import { toInput } from "../http/requests/inputs.ts";
import { mismatch } from "../http/requests/mismatch.ts";
import type { PageServices, PagesDocument } from "./pages-service.ts";

/** @throws ServiceError 404 if there is no such file, 400 if it is not a PDF */
export async function openDocument(id: string, { store }: PageServices): Promise<PagesDocument> {
  const file = await store.find(id);
  if (!file) throw noSuchFile();
  if (!mayBePdf(file.type)) throw mismatch(file, "PDF");
  return { file, input: toInput(file, store) };
}
