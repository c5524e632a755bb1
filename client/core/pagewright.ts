// The client. It has one method per operation, generated from the declarations of the endpoints.

import { type Job, OPERATIONS, type OperationName, type Operations } from "../generated/operations.ts";
import { Connection, type Options } from "./connection.ts";
import { camelCased, PagewrightError, snakeCased } from "./error.ts";
import {
  type Inputs,
  type InputWithPages,
  type OpenPath,
  type ResolvedInput,
  resolveInputs,
  type StoredInput,
} from "./inputs.ts";
import { type JobResponse, runOperation } from "./jobs.ts";
import { type Call, type Params, Pending, type Runner } from "./pending.ts";
import type { CallOptions } from "./progress.ts";
import { Result, type SaveDownload, StoredFile } from "./result.ts";
import { storeAddress, uploadFile } from "./upload.ts";

/** Platform-dependent functions: opening and saving files by path. */
export interface FileAdapter {
  readonly openPath: OpenPath;
  readonly save: SaveDownload;
}

/** The operations of a service, and its stored files. */
export type Pagewright = Service & Operations;

/** A further input file of an operation, with the fields of the body that can contain its ID or URL. */
export interface FurtherFile {
  readonly name: string;
  readonly id: string;
  readonly url: string;
  readonly list?: true;
}

export type { Params } from "./pending.ts";

/** `isData`: the response is data, not a file. */
type OperationEntry = readonly [
  path: string,
  kind: "none" | "one" | "several" | "selected" | "text",
  files?: readonly FurtherFile[],
  isData?: true,
];

/** Jobs with larger inputs run asynchronously by default, because they probably take long. */
const LONG_JOB_BYTES = 1_000_000;

/** The client without the methods for operations, which {@link createClientClass} adds. */
class Service implements Runner {
  readonly #connection: Connection;
  readonly #files: FileAdapter;

  constructor(options: Options, files: FileAdapter) {
    this.#connection = new Connection(options);
    this.#files = files;
  }

  /** Base URL of the service, without a trailing slash. */
  get baseUrl(): string {
    return this.#connection.baseUrl;
  }

  /** Returns a reference to a stored file. Sends no request. */
  stored(id: string): StoredFile {
    return this.#fileOf({ id });
  }

  /** Uploads a document, for example for use in several calls. */
  async upload(input: Inputs, options: CallOptions = {}): Promise<StoredFile> {
    const given = single("upload", await resolveInputs(input, this.#files.openPath));
    return this.#fileOf(await this.#store(given, options));
  }

  /** Starts an operation by name. */
  run(name: OperationName, inputs: unknown, params: Params = {}, options: CallOptions = {}): Job {
    return new Pending(this, { name, inputs, params, options }) as unknown as Job;
  }

  isStep(name: OperationName): boolean {
    const [, kind, , isData]: OperationEntry = OPERATIONS[name];
    return kind !== "none" && kind !== "text" && !isData && name !== STEPS;
  }

  async execute(calls: readonly [Call, ...Call[]]): Promise<Result> {
    const [{ name, inputs }] = calls;
    const { options } = calls.at(-1)!;
    options.signal?.throwIfAborted();
    const [path, kind]: OperationEntry = OPERATIONS[name];
    const uploads: StoredInput[] = [];
    const store = async (given: ResolvedInput) => {
      if (given.kind === "stored") return given;
      const stored = await this.#store(given, options);
      uploads.push(stored);
      return stored;
    };
    try {
      const input = await this.#inputOf(name, kind, inputs, store);
      const isLong = input.sizeBytes === undefined || input.sizeBytes > LONG_JOB_BYTES;
      const isAsync = options.async ?? (options.onProgress !== undefined || isLong);
      const bodies: Record<string, unknown>[] = [];
      for (const call of calls) bodies.push(await this.#fieldsOf(call, store));
      const [to, body] =
        calls.length === 1 ? [path, { ...input.body, ...bodies[0] }] : stepsRequest(calls, input.body, bodies);
      options.onProgress?.({ phase: "waiting" });
      const answer: JobResponse = await runOperation(this.#connection, to, body, { ...options, async: isAsync });
      return new Result(answer, (stored) => this.#fileOf(stored));
    } catch (error) {
      // Deletes the uploaded inputs of a failed call, as the service does for files in a failed request.
      await Promise.all(uploads.map(({ id }) => this.#connection.discard(`/resource/${id}`)));
      throw error;
    }
  }

  /** Uploads the further files of a call. @returns the fields of the body, without the inputs */
  async #fieldsOf({ name, params }: Call, store: (given: ResolvedInput) => Promise<StoredInput>) {
    const [, , files = []]: OperationEntry = OPERATIONS[name];
    const body = bodyOf(params);
    for (const file of files) Object.assign(body, await this.#fileFields(file, params[camelCased(file.name)], store));
    return body;
  }

  /**
   * Uploads the inputs that are not stored yet.
   * @returns the fields of the body with the IDs or URLs of the inputs
   */
  async #inputOf(
    name: OperationName,
    kind: OperationEntry[1],
    inputs: unknown,
    store: (given: ResolvedInput) => Promise<StoredInput>,
  ): Promise<{ readonly body: object; readonly sizeBytes?: number | undefined }> {
    const { openPath } = this.#files;
    if (kind === "none") return { body: {}, sizeBytes: 0 };
    if (kind === "text") {
      const content = String(await inputs);
      return { body: { content }, sizeBytes: content.length };
    }
    if (kind === "one") {
      const given = single(name, await resolveInputs(inputs as Inputs, openPath));
      // A URL is sent unchanged: it can refer to a web page, which cannot be stored as a file.
      if (given.kind === "address") return { body: { url: given.url } };
      const { id, sizeBytes } = await store(given);
      return { body: { id }, sizeBytes };
    }
    const ids: string[] = [];
    const pages: string[] = [];
    for (const each of inputs as Iterable<Inputs | InputWithPages>) {
      const { input, pages: selection = "all" } = isSelected(each) ? each : { input: each };
      for (const given of await resolveInputs(input, openPath)) {
        ids.push((await store(given)).id);
        pages.push(selection);
      }
    }
    return { body: kind === "selected" ? { id: ids, type: ids.map(() => "id"), pages } : { id: ids } };
  }

  /** Uploads further files. @returns the fields of the body with their IDs or URLs */
  async #fileFields(
    { name, id, url, list }: FurtherFile,
    value: unknown,
    store: (given: ResolvedInput) => Promise<StoredInput>,
  ): Promise<object> {
    const body: Record<string, unknown> = { [name]: undefined };
    if (value === undefined) return body;
    const { openPath } = this.#files;
    const each = list ? [...(value as Iterable<Inputs>)] : [value as Inputs];
    const all = (await Promise.all(each.map((one) => resolveInputs(one, openPath)))).flat();
    for (const [index, given] of (list ? all : [single(camelCased(name), all)]).entries()) {
      const field = given.kind === "address" ? url : id;
      // The indexes preserve the order of the files if some are IDs and others URLs.
      body[list ? `${field}[${index}]` : field] = given.kind === "address" ? given.url : (await store(given)).id;
    }
    return body;
  }

  async #store(given: ResolvedInput, options: CallOptions): Promise<StoredInput> {
    if (given.kind === "stored") return given;
    if (given.kind === "local") return uploadFile(this.#connection, await given.open(), options);
    return storeAddress(this.#connection, given.url, options);
  }

  #fileOf(stored: StoredInput): StoredFile {
    return new StoredFile(this.#connection, this.#files.save, stored);
  }
}

const isSelected = (input: Inputs | InputWithPages): input is InputWithPages =>
  typeof input === "object" && input !== null && "input" in input;

function single(name: string, given: readonly ResolvedInput[]): ResolvedInput {
  if (given.length === 1) return given[0]!;
  throw new PagewrightError(0, `${name}() takes one file, but the result has ${given.length}.`);
}

/** Name of the operation that runs several others. */
const STEPS: OperationName = "steps";

/** Returns the path and the body of the request that runs several calls. The last call names the output. */
function stepsRequest(
  calls: readonly Call[],
  documents: object,
  bodies: readonly Record<string, unknown>[],
): [path: string, body: Record<string, unknown>] {
  const { id, url, pages } = documents as Readonly<Record<string, unknown>>;
  const steps = calls.map(({ name }, index) => {
    const { output: _, ...fields } = bodies[index]!;
    const [path]: OperationEntry = OPERATIONS[name];
    return { [path.slice(1)]: index === 0 ? { pages, ...fields } : fields };
  });
  return [OPERATIONS[STEPS][0], { id, url, steps, output: bodies.at(-1)!.output }];
}

/** Converts parameters to the fields of a JSON body, whose names are in snake_case. */
function bodyOf(params: Params): Record<string, unknown> {
  const sent = Object.entries(params).filter(([, value]) => value !== undefined);
  const spelled = (value: unknown) => (typeof value === "boolean" ? (value ? "on" : "off") : value);
  return Object.fromEntries(sent.map(([name, value]) => [snakeCased(name), spelled(value)]));
}

/** Creates the client class for a platform. */
export function createClientClass(files: FileAdapter): new (options: Options) => Pagewright {
  class OnPlatform extends Service {
    constructor(options: Options) {
      super(options, files);
    }
  }
  return OnPlatform as unknown as new (
    options: Options,
  ) => Pagewright;
}

for (const name of Object.keys(OPERATIONS) as OperationName[]) {
  const [, kind]: OperationEntry = OPERATIONS[name];
  const called =
    kind === "none"
      ? function (this: Service, params?: Params, options?: CallOptions): Job {
          return this.run(name, undefined, params, options);
        }
      : function (this: Service, inputs: unknown, params?: Params, options?: CallOptions): Job {
          return this.run(name, inputs, params, options);
        };
  const chained = function (this: Pending, params: Params = {}, options: CallOptions = {}): Job {
    return this.chain({ name, inputs: kind === "one" ? this : [this], params, options }) as unknown as Job;
  };
  Object.defineProperty(Service.prototype, name, { value: called });
  if (kind !== "text" && kind !== "none") Object.defineProperty(Pending.prototype, name, { value: chained });
}
