// Tests Mustang: valid and invalid invoices, and its behavior when it is killed or not built.
import { readdirSync, writeFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { invoiceXml } from "../../../../test/fixtures/invoices.ts";
import { eventually } from "../../../../test/support/eventually.ts";
import { failsWith } from "../../../../test/support/libreoffice.ts";
import { nameOf, processTree } from "../../../../test/support/processes.ts";
import { Scratch } from "../../../scratch/scratch.ts";
import { Mustang } from "../mustang.ts";

let folder: string;
let scratch: Scratch;
let mustang: Mustang;
let invoice: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "mustang-test-"));
  scratch = await Scratch.open();
  mustang = new Mustang({ scratch });
  invoice = join(folder, "invoice.xml");
  writeFileSync(invoice, invoiceXml("en16931"));
});
afterAll(async () => {
  await scratch?.[Symbol.asyncDispose]();
  await rm(folder, { recursive: true });
});

const never = new AbortController().signal;
const processes = () => processTree(process.pid).filter((pid) => nameOf(pid) === "java\n");

test("a valid invoice, with the rules of XRechnung as notices", async () => {
  const { valid, hasInvoice, guideline, syntax, findings } = await mustang.validate(invoice, "xml", never);
  expect({ valid, hasInvoice, guideline, syntax }).toEqual({
    ...{ valid: true, hasInvoice: true, guideline: "urn:cen.eu:en16931:2017", syntax: "CII" },
  });
  expect(findings.map(({ severity }) => severity)).toContain("notice");
  // The message has no trace of the file of rules.
  for (const { message } of findings) expect(message).not.toMatch(/xslt|\[ID /);
});

test("an invoice of another process is validated at the same time", async () => {
  const wrong = join(folder, "wrong.xml");
  writeFileSync(wrong, invoiceXml("basic").replace(/<ram:InvoiceCurrencyCode>EUR</, "<ram:InvoiceCurrencyCode>EURO<"));
  const [one, other] = await Promise.all([invoice, wrong].map((path) => mustang.validate(path, "xml", never)));
  expect([one!.valid, other!.valid]).toEqual([true, false]);
});

test.each(["SIGKILL", "SIGSTOP"] as const)("%s: the invoice is tried again, in a new process", async (signal) => {
  const outcome = mustang.validate(invoice, "xml", never);
  const [pid] = await eventually(() => {
    const found = processes();
    expect(found).toHaveLength(1);
    return found;
  });
  process.kill(pid!, signal);
  expect((await outcome).valid).toBe(true);
});

test("a job that was aborted ends, and leaves neither a process nor a file", async () => {
  const controller = new AbortController();
  const reason = new Error("client gone");
  const outcome = expect(mustang.validate(invoice, "xml", controller.signal)).rejects.toBe(reason);
  await eventually(() => expect(processes()).toHaveLength(1));
  controller.abort(reason);
  await outcome;
  await eventually(() => expect(processes()).toEqual([]));
  const left = readdirSync(scratch.path, { recursive: true }).map(String);
  expect(left.filter((name) => name.includes("invoice."))).toEqual([]);
});

test("where it is not built, it is busy", async () => {
  const missing = new Mustang({ scratch, dist: folder });
  await expect(missing.validate(invoice, "xml", never)).rejects.toEqual(failsWith("busy"));
});
