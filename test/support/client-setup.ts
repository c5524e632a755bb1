// A service for the client's test suite. It has every operation, and a site from which it can fetch a document.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { zipSync } from "fflate";
import { startContainer } from "../../scripts/services/container-process.ts";
import { invoiceXml } from "../fixtures/invoices.ts";
import { docx, paragraph } from "../fixtures/office.ts";
import { fieldPdf } from "../fixtures/pdfs.ts";
import type { Samples } from "./client-checks.ts";
import { startService } from "./service.ts";
import { type Answer, startPages } from "./web.ts";

/** Everything that a check needs, except the class under test. */
export interface ClientService extends AsyncDisposable {
  readonly baseUrl: string;
  readonly apiKey: string;
  readonly samples: Samples;
  readonly pdfUrl: string;
}

export async function startClientService(): Promise<ClientService> {
  const folder = await mkdtemp(join(tmpdir(), "client-"));
  const pages = new Map<string, Answer>();
  const site = await startPages(pages);
  const env = { URL_ALLOW: `127.0.0.1:${site.port}` };
  const container = await startContainer({ logFile: join(folder, "container.log"), env });
  const service = await startService({ variant: "keyed", container });
  const samples = {
    pdf: new Uint8Array(await fieldPdf(3, [400, 144])),
    docx: new Uint8Array(docx({ body: paragraph("Hello") })),
    zip: new Uint8Array(zipSync({ "a.bin": new Uint8Array(9) })),
    xml: new TextEncoder().encode(invoiceXml("xrechnung")),
  };
  pages.set("/three.pdf", (_, response) => {
    response.setHeader("Content-Type", "application/pdf").end(samples.pdf);
  });
  return {
    baseUrl: service.url,
    apiKey: service.key!,
    samples,
    pdfUrl: `${site.url}/three.pdf`,
    async [Symbol.asyncDispose]() {
      await service.stop();
      await container.stop();
      await site[Symbol.asyncDispose]();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
