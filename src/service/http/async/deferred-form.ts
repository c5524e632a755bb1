// Serializes a form whose files are stored, so that its job can run later.

import { EngineFailure } from "../../../document/contract/failure.ts";
import type { ClientAccount } from "../../ports/client-account.ts";
import type { Sealer } from "../../ports/sealer.ts";
import type { ReceivedFile } from "../../storage/file.ts";
import type { FilePolicy } from "../../storage/file-policy.ts";
import type { Store } from "../../storage/store.ts";
import { noFormSecret, noSuchFile } from "../contract/errors.ts";
import type { Form } from "../contract/form.ts";

/** The properties of the client that the job needs. */
interface Client {
  /** Policy of the files that the job stores. */
  readonly marks: FilePolicy;
  /** The client that is charged for the job. */
  readonly account?: ClientAccount | undefined;
  /** Headers that continue the trace of the request. */
  readonly trace?: Readonly<Record<string, string>> | undefined;
}

type Values = readonly (readonly [name: string, values: readonly string[]])[];

interface DeferredForm extends Pick<Form, "order" | "encoding">, Client {
  readonly fields: Values;
  /** Encrypted secret fields. @default the request has no secrets */
  readonly sealed?: Values;
  /** IDs of the files. */
  readonly files: readonly (readonly [name: string, ids: readonly string[]])[];
  /** Folders of files, by ID. @default the files have none */
  readonly folders?: Readonly<Record<string, string>>;
}

/** Encryption settings for the secrets of one request. */
export interface Sealing {
  /** ID of the job, to which the encryption binds the secrets. */
  readonly id: string;
  readonly sealer: Sealer | undefined;
}

/**
 * @param secrets names of the secret fields
 * @returns the form as JSON. All its files are stored when this resolves
 * @throws ServiceError 400 if the request contains secrets, and the service has no encryption key
 */
export async function serializeForm(
  form: Form,
  client: Client,
  secrets: ReadonlySet<string>,
  { id, sealer }: Sealing,
): Promise<string> {
  const { files, order, encoding } = form;
  const fields = [...form.fields].filter(([name]) => !secrets.has(name));
  const kept = [...form.fields].filter(([name, values]) => secrets.has(name) && values.length > 0);
  if (kept.length > 0 && !sealer) throw noFormSecret();
  const sealed = kept.map(
    async ([name, values]) =>
      [name, await Promise.all(values.map((value) => sealer!.seal(value, placeOf(id, name))))] as const,
  );
  const ids = [...files].map(
    async ([name, of]) => [name, await Promise.all(of.map(async ({ stored }) => (await stored).id))] as const,
  );
  const inFolders = [...files.values()].flat().flatMap(({ folder, stored }) => (folder ? [{ folder, stored }] : []));
  const folders = inFolders.map(async ({ folder, stored }) => [(await stored).id, folder] as const);
  const deferred: DeferredForm = {
    ...{ fields, files: await Promise.all(ids), order, encoding, ...client },
    ...(folders.length > 0 ? { folders: Object.fromEntries(await Promise.all(folders)) } : {}),
    ...(sealed.length > 0 ? { sealed: await Promise.all(sealed) } : {}),
  };
  return JSON.stringify(deferred);
}

const placeOf = (id: string, field: string): string => `${id} ${field}`;

export const clientOfForm = (text: string): Client => JSON.parse(text) as DeferredForm;

/**
 * @throws ServiceError 404 if a file of the form no longer exists; EngineFailure `busy` if its secrets were encrypted
 *   with another key, which another host might have
 */
export async function deserializeForm(
  text: string,
  { store, uploads, id, sealer }: Sealing & { readonly store: Store; readonly uploads: Form["uploads"] },
): Promise<Form> {
  const { fields, sealed = [], files, folders = {}, order, encoding } = JSON.parse(text) as DeferredForm;
  if (sealed.length > 0 && !sealer) throw needsOtherSecret();
  const opened = sealed.map(
    async ([name, values]) =>
      [name, await Promise.all(values.map((value) => sealer!.open(value, placeOf(id, name))))] as const,
  );
  const secrets = await Promise.all(opened).catch((cause) => Promise.reject(needsOtherSecret({ cause })));
  const found = new Map<string, ReceivedFile[]>();
  for (const [name, ids] of files) {
    const arrivals: ReceivedFile[] = [];
    for (const id of ids) {
      const folder = folders[id];
      arrivals.push({ ...(await arrivalOf(id, store)), ...(folder === undefined ? {} : { folder }) });
    }
    found.set(name, arrivals);
  }
  return { fields: new Map([...fields, ...secrets]), files: found, uploads, order, encoding };
}

const needsOtherSecret = (options?: ErrorOptions) =>
  new EngineFailure("busy", "the job's secrets were encrypted with another FORM_SECRET", options);

async function arrivalOf(id: string, store: Store): Promise<ReceivedFile> {
  const file = await store.find(id);
  if (!file) throw noSuchFile();
  const { name, type, size } = file;
  return { name, type, size, stored: Promise.resolve(file) };
}
