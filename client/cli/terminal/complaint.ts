// Formats an error for the terminal. If the key is missing, adds how to pass it.
import { PagewrightError } from "../../core/error.ts";

/** Start of the service's message if it requires a key, and the request has none. */
const NO_KEY = "An Api-Key header is required";
const HOW_TO_SEND_ONE = "Pass the key with --api-key, PAGEWRIGHT_API_KEY or the configuration file.";

/** @param name the failed operand as the user typed it */
export function complaintOf(name: string, error: unknown): string {
  const { message } = error as Error;
  const named = message.startsWith(name) ? message : `${name}: ${message}`;
  const lacksKey = error instanceof PagewrightError && error.status === 401 && message.startsWith(NO_KEY);
  return `pagewright: ${named}${lacksKey ? ` ${HOW_TO_SEND_ONE}` : ""}`;
}
