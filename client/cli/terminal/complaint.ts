// Tells on the terminal why something failed: the sentence of the service, and what mends it here.
import { PagewrightError } from "../../core/error.ts";

/** A service that asks for a key, of a command that sent none. */
const NO_KEY = "An Api-Key header is required";
const HOW_TO_SEND_ONE = "Pass the key with --api-key, PAGEWRIGHT_API_KEY or the configuration file.";

/** @param name of what failed, as the command named it */
export function complaintOf(name: string, error: unknown): string {
  const { message } = error as Error;
  const named = message.startsWith(name) ? message : `${name}: ${message}`;
  const lacksKey = error instanceof PagewrightError && error.status === 401 && message.startsWith(NO_KEY);
  return `pagewright: ${named}${lacksKey ? ` ${HOW_TO_SEND_ONE}` : ""}`;
}
