// Formats an error for the terminal: the service's message, and the option that fixes it.
import { PagewrightError } from "../../core/error.ts";

/** The service requires a key, and the command sent none. */
const NO_KEY = "An Api-Key header is required";
const HOW_TO_SEND_ONE = "Pass the key with --api-key, PAGEWRIGHT_API_KEY or the configuration file.";

/** @param name of the failed operand, as the user typed it */
export function complaintOf(name: string, error: unknown): string {
  const { message } = error as Error;
  const named = message.startsWith(name) ? message : `${name}: ${message}`;
  const lacksKey = error instanceof PagewrightError && error.status === 401 && message.startsWith(NO_KEY);
  return `pagewright: ${named}${lacksKey ? ` ${HOW_TO_SEND_ONE}` : ""}`;
}
