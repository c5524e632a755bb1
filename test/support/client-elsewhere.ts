// Runs a check of the client outside the test process: in workerd, a browser, Deno or Bun. Samples arrive as base64.
import { OPERATIONS } from "../../client/generated/operations.ts";
import { Pagewright } from "../../client/index.ts";
import { CHECKS, type Surroundings } from "./client-checks.ts";

export interface Assignment {
  readonly check: string;
  readonly baseUrl: string;
  readonly apiKey: string;
  readonly pdfUrl: string;
  readonly pdf: string;
  readonly docx: string;
}

/**
 * @param Client the class under test
 * @returns the check's error, or an empty string
 */
export async function runCheck(
  { check, pdf, docx, ...around }: Assignment,
  Client: Surroundings["Pagewright"] = Pagewright,
): Promise<string> {
  const samples = { pdf: bytesOf(pdf), docx: bytesOf(docx) };
  try {
    await CHECKS[check]!({ Pagewright: Client, operations: OPERATIONS, samples, ...around });
    return "";
  } catch (error) {
    return String((error as Error).stack ?? error);
  }
}

const bytesOf = (base64: string) => Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
