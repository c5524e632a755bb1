// Runs a check of the client outside the test process: in workerd, a browser, Deno or Bun. Samples arrive as base64.
import { OPERATIONS } from "../../client/generated/operations.ts";
import { Pagewright } from "../../client/index.ts";
import { CHECKS, type Samples, type Surroundings } from "./client-checks.ts";

export interface Assignment {
  readonly check: string;
  readonly baseUrl: string;
  readonly apiKey: string;
  readonly pdfUrl: string;
  /** Samples by format, in base64. */
  readonly encoded: Readonly<Record<keyof Samples, string>>;
}

/**
 * @param Client the class under test
 * @returns the check's error, or an empty string
 */
export async function runCheck(
  { check, encoded, ...around }: Assignment,
  Client: Surroundings["Pagewright"] = Pagewright,
): Promise<string> {
  const samples = Object.fromEntries(
    Object.entries(encoded).map(([format, base64]) => [format, bytesOf(base64)]),
  ) as unknown as Samples;
  try {
    await CHECKS[check]!({ Pagewright: Client, operations: OPERATIONS, samples, ...around });
    return "";
  } catch (error) {
    return String((error as Error).stack ?? error);
  }
}

const bytesOf = (base64: string) => Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
