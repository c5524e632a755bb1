// Reads the URL of the service and the API key. Options take precedence over environment variables, and these over the
// configuration file.
import { readFile } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import { UsageError } from "./usage-error.ts";

export interface Settings {
  readonly baseUrl: string;
  readonly apiKey?: string;
}

/** Options of every command that sends requests to the service. */
export interface ServiceOptions {
  readonly url?: string;
  readonly apiKey?: string;
  readonly config?: string;
}

type Environment = Readonly<Record<string, string | undefined>>;

const DEFAULT_URL = "http://localhost:8787";

/** @throws UsageError if the configuration file is invalid, or the file named by an option cannot be read */
export async function readSettings(options: ServiceOptions, environment: Environment): Promise<Settings> {
  const file = await readConfiguration(options.config, environment);
  const baseUrl = options.url ?? environment.PAGEWRIGHT_URL ?? file.url ?? DEFAULT_URL;
  const apiKey = options.apiKey ?? environment.PAGEWRIGHT_API_KEY ?? file.apiKey;
  if (!URL.canParse(baseUrl) || !/^https?:/.test(baseUrl)) {
    throw new UsageError(`The URL of the service must be an http or https URL, not "${baseUrl}".`);
  }
  return { baseUrl, ...(apiKey ? { apiKey } : {}) };
}

/** Returns the default path of the configuration file. */
const configurationPath = (environment: Environment): string =>
  join(environment.XDG_CONFIG_HOME || join(homedir(), ".config"), "pagewright/config.json");

async function readConfiguration(
  named: string | undefined,
  environment: Environment,
): Promise<{ readonly url?: string; readonly apiKey?: string }> {
  const path = named ?? configurationPath(environment);
  let text: string;
  try {
    text = await readFile(path, "utf8");
  } catch (error) {
    if (named === undefined && (error as NodeJS.ErrnoException).code === "ENOENT") return {};
    throw new UsageError(`The configuration file cannot be read: ${(error as Error).message}`);
  }
  let value: unknown;
  try {
    value = JSON.parse(text.replace(/^\ufeff/, ""));
  } catch {
    throw new UsageError(`${path} is not valid JSON.`);
  }
  const entries = Object.entries(
    typeof value === "object" && value !== null && !Array.isArray(value) ? value : { "": "" },
  );
  const unknown = entries.find(([name, given]) => !["url", "apiKey"].includes(name) || typeof given !== "string");
  if (unknown) throw new UsageError(`${path} must be a JSON object with only the strings "url" and "apiKey".`);
  return Object.fromEntries(entries);
}
