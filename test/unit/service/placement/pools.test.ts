// Tests that the instances of each kind start the engines of the operations that run there.
import { expect, test } from "vitest";
import { ENGINE_NAMES, selectedEngines } from "../../../../container/engine-selection.ts";
import { NATIVE_OPERATIONS } from "../../../../container/operations/index.ts";
import { htmlToPicture } from "../../../../src/operations/html-to-picture.ts";
import { CONTAINER_OPERATIONS } from "../../../../src/operations/index.ts";
import { pdfToPdfa } from "../../../../src/operations/pdf-to-pdfa.ts";
import { pdfToPostscript } from "../../../../src/operations/pdf-to-postscript.ts";
import { readValidatedPdfInfo } from "../../../../src/operations/read-pdf-info.ts";
import { recognizeText } from "../../../../src/operations/recognize-text.ts";
import { requireProfile } from "../../../../src/operations/require-profile.ts";
import { appendAttachments } from "../../../../src/operations/to-pdf/append-attachments.ts";
import { htmlToPdf } from "../../../../src/operations/to-pdf/html-to-pdf.ts";
import { officeToPdf } from "../../../../src/operations/to-pdf/office-to-pdf.ts";
import { postscriptToPdf } from "../../../../src/operations/to-pdf/postscript-to-pdf.ts";
import { svgToPdf } from "../../../../src/operations/to-pdf/svg-to-pdf.ts";
import { validateInvoice } from "../../../../src/operations/validate-invoice.ts";
import { validatePdf } from "../../../../src/operations/validate-pdf.ts";
import { checkAddress } from "../../../../src/service/outbound/check-address.ts";
import { fetchUrl } from "../../../../src/service/outbound/fetch-url.ts";
import { postWebhook } from "../../../../src/service/outbound/post-webhook.ts";
import { putFile } from "../../../../src/service/outbound/put-file.ts";
import { POOL_ENGINES, POOLS, poolOf } from "../../../../src/service/placement/instances/pools.ts";

test("every engine is in one kind of container, and threads are in both", () => {
  const engines = POOLS.flatMap((pool) => [...selectedEngines(POOL_ENGINES[pool])]);
  expect(engines.toSorted()).toEqual([...ENGINE_NAMES, "threads"].toSorted());
});

test("the engine of every native operation is in the container that gets its jobs", () => {
  const signatures = [
    ...[
      checkAddress,
      fetchUrl,
      htmlToPdf,
      officeToPdf,
      pdfToPdfa,
      pdfToPostscript,
      postWebhook,
      postscriptToPdf,
      putFile,
    ],
    ...[appendAttachments, htmlToPicture, readValidatedPdfInfo, recognizeText, requireProfile, svgToPdf],
    ...[validateInvoice, validatePdf],
  ];
  expect(signatures.map(({ name }) => name).toSorted()).toEqual(NATIVE_OPERATIONS.map(({ name }) => name).toSorted());
  for (const signature of signatures) {
    const { engine } = NATIVE_OPERATIONS.find(({ name }) => name === signature.name)!;
    expect(selectedEngines(POOL_ENGINES[poolOf(signature)]), signature.name).toContain(engine);
  }
});

test("the edge's operations run where the threads are", () => {
  for (const operation of CONTAINER_OPERATIONS) expect(POOL_ENGINES[poolOf(operation)]).toContain("threads");
});

test("only the container for web pages has the internet", () => {
  for (const one of [htmlToPdf, htmlToPicture, svgToPdf, appendAttachments]) expect(poolOf(one)).toBe("web");
  for (const one of [checkAddress, fetchUrl, postWebhook, putFile]) expect(poolOf(one)).toBe("web");
});
