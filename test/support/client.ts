// A client that behaves like existing clients: sends multipart POSTs, reads JSON responses, and fetches files by URL.
import { setImmediate } from "node:timers/promises";
import { inject } from "vitest";

/** Values by field name. A list repeats the field. */
export type FormFields = Record<string, string | Blob | readonly (string | Blob)[]>;

export interface Posted {
  readonly status: number;
  readonly headers: Headers;
  /** The parsed body. */
  readonly body: {
    readonly outputUrl?: string | string[];
    readonly outputId?: string | string[];
    readonly inputId?: string | string[];
    readonly outputSize?: number;
    readonly inputSize?: number;
    readonly notices?: string[];
    readonly substitutedFonts?: { name: string; replacedBy?: string; sameWidths: boolean }[];
    readonly error?: string;
  };
}

export interface Client {
  /** Base URL without a final slash. */
  readonly url: string;
  post(path: string, fields: FormFields): Promise<Posted>;
  /** @returns the files at each outputUrl. Throws if the POST fails */
  make(path: string, fields: FormFields): Promise<MadeFile[]>;
}

export interface MadeFile {
  readonly id: string;
  readonly name: string;
  readonly type: string;
  readonly bytes: Uint8Array;
}

/** @param key sent in the header Api-Key with every POST */
export function createClient(url: string, key?: string): Client {
  async function post(path: string, fields: FormFields): Promise<Posted> {
    const form = new FormData();
    for (const [name, given] of Object.entries(fields)) {
      for (const value of Array.isArray(given) ? given : [given]) form.append(name, value);
    }
    // Programs that ran synchronously kept the process from noticing connections that the service closed meanwhile.
    await setImmediate();
    const response = await fetch(url + path, {
      method: "POST",
      body: form,
      headers: { Accept: "application/json", ...(key ? { "Api-Key": key } : {}) },
    });
    return { status: response.status, headers: response.headers, body: (await response.json()) as Posted["body"] };
  }
  return {
    url,
    post,
    async make(path, fields) {
      const { status, body } = await post(path, fields);
      if (status !== 200) throw new Error(`${path} answered ${status}: ${body.error}`);
      const files: MadeFile[] = [];
      for (const outputUrl of [body.outputUrl!].flat()) {
        const response = await fetch(outputUrl);
        if (response.status !== 200) throw new Error(`${outputUrl} answered ${response.status}`);
        files.push({
          id: /resource\/([^?]*)/.exec(outputUrl)![1]!,
          name: /filename=(.*)$/.exec(response.headers.get("Content-Disposition")!)![1]!,
          type: response.headers.get("Content-Type")!,
          bytes: new Uint8Array(await response.arrayBuffer()),
        });
      }
      return files;
    },
  };
}

export const privateClient = (): Client => createClient(inject("services").private.url);
export const keyedClient = (): Client => createClient(inject("services").keyed.url, inject("services").keyed.key);

/** Creates a file part. */
export const upload = (bytes: Uint8Array | string, name = "document.pdf"): File => new File([Buffer.from(bytes)], name);
