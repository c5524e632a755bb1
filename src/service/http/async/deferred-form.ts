// Turns a form whose files are stored into text and back, so that its request can be carried out later.

import type { ClientAccount } from "../../ports/client-account.ts";
import type { ReceivedFile } from "../../storage/file.ts";
import type { FilePolicy } from "../../storage/file-policy.ts";
import type { Store } from "../../storage/store.ts";
import { noSuchFile } from "../contract/errors.ts";
import type { Form } from "../contract/form.ts";

/** What is known of the client when the job runs. */
interface Client {
  /** Marks of the files that the job makes. */
  readonly marks: FilePolicy;
  /** See QueuedService. */
  readonly account?: ClientAccount | undefined;
  /** Header fields that continue the trace of the request. */
  readonly trace?: Readonly<Record<string, string>> | undefined;
}

interface DeferredForm extends Pick<Form, "order" | "encoding">, Client {
  readonly fields: readonly (readonly [name: string, values: readonly string[]])[];
  /** Ids of the files. */
  readonly files: readonly (readonly [name: string, ids: readonly string[]])[];
}

/** @returns the form as JSON. Its files are stored when this resolves */
export async function serializeForm(form: Form, client: Client): Promise<string> {
  const { fields, files, order, encoding } = form;
  const ids = [...files].map(
    async ([name, of]) => [name, await Promise.all(of.map(async ({ stored }) => (await stored).id))] as const,
  );
  const deferred: DeferredForm = { fields: [...fields], files: await Promise.all(ids), order, encoding, ...client };
  return JSON.stringify(deferred);
}

export const clientOfForm = (text: string): Client => JSON.parse(text) as DeferredForm;

/** @throws ServiceError 404 if one of its files is not there any more */
export async function deserializeForm(text: string, store: Store, uploads: Form["uploads"]): Promise<Form> {
  const { fields, files, order, encoding } = JSON.parse(text) as DeferredForm;
  const found = new Map<string, ReceivedFile[]>();
  for (const [name, ids] of files) {
    const arrivals: ReceivedFile[] = [];
    for (const id of ids) arrivals.push(await arrivalOf(id, store));
    found.set(name, arrivals);
  }
  return { fields: new Map(fields), files: found, uploads, order, encoding };
}

async function arrivalOf(id: string, store: Store): Promise<ReceivedFile> {
  const file = await store.find(id);
  if (!file) throw noSuchFile();
  const { name, type, size } = file;
  return { name, type, size, stored: Promise.resolve(file) };
}
