// Results of calls. A result contains stored files, and further calls accept it as an input.
import { type Connection, discardBody, json } from "./connection.ts";
import { type Download, download } from "./download.ts";
import { PagewrightError } from "./error.ts";
import type { StoredInput } from "./inputs.ts";
import type { JobResponse } from "./jobs.ts";
import type { CallOptions } from "./progress.ts";

/**
 * Writes a download to a path. If the path is a folder, uses the name of the download. Returns the path of the file.
 */
export type SaveDownload = (download: Download, path: string) => Promise<string>;

export interface FileInfo {
  readonly id: string;
  readonly name: string;
  readonly url: string;
  /** Media type. */
  readonly type: string;
  /** Size in bytes. */
  readonly size: number;
  /** Time of storage, in ISO 8601. */
  readonly modified: string;
  /** Number of pages of a PDF. */
  readonly pages?: number;
  /** Message if no operation on documents can read the file. */
  readonly problem?: string;
}

/** A file that is stored at the service. Its content is downloaded only by methods such as `bytes()`. */
export class StoredFile implements StoredInput {
  readonly id: string;
  /** Size in bytes; undefined if the service has not reported it. */
  readonly sizeBytes: number | undefined;
  readonly #connection: Connection;
  readonly #save: SaveDownload;

  constructor(connection: Connection, save: SaveDownload, { id, sizeBytes }: StoredInput) {
    this.#connection = connection;
    this.#save = save;
    this.id = id;
    this.sizeBytes = sizeBytes;
  }

  /** URL from which any HTTP client can download the file. */
  get url(): string {
    return `${this.#connection.baseUrl}/resource/${this.id}?format=file`;
  }

  /** Starts to download the file. Returns its name, type and size, and a stream of its bytes. */
  download(options?: CallOptions): Promise<Download> {
    return download(this.#connection, this.id, options);
  }

  async stream(options?: CallOptions): Promise<Download["body"]> {
    return (await this.download(options)).body;
  }

  async blob(options?: CallOptions): Promise<Blob> {
    const { body, type } = await this.download(options);
    // Does not use `new Response(body)`, because browsers would replace the error of the stream by a generic one.
    const parts: Uint8Array<ArrayBuffer>[] = [];
    const reader = body.getReader();
    for (let next = await reader.read(); !next.done; next = await reader.read()) parts.push(next.value);
    return new Blob(parts, { type });
  }

  async bytes(options?: CallOptions): Promise<Uint8Array<ArrayBuffer>> {
    return new Uint8Array(await (await this.blob(options)).arrayBuffer());
  }

  async text(options?: CallOptions): Promise<string> {
    return (await this.blob(options)).text();
  }

  /**
   * Saves the file, on platforms with a file system. The file appears at the path only when it is complete.
   * @param path path of the file, or a folder: a path that is an existing folder, or ends with a slash
   * @returns the path of the file
   */
  async save(path: string, options?: CallOptions): Promise<string> {
    return this.#save(await this.download(options), path);
  }

  info({ signal }: CallOptions = {}): Promise<FileInfo> {
    return this.#connection.request(`/resource/${this.id}?format=info`, { signal }, json<FileInfo>);
  }

  /** Deletes the file from the service. Succeeds if the file does not exist. */
  delete({ signal }: CallOptions = {}): Promise<void> {
    const call = { method: "DELETE", signal, expects: [404] };
    return this.#connection.request(`/resource/${this.id}`, call, discardBody);
  }
}

/** Methods of a result that can be called before the operation has ended. */
export type PendingResult = Pick<Promise<Result>, "then" | "catch" | "finally"> &
  Pick<Result, "blob" | "bytes" | "delete" | "save" | "stream" | "text">;

/** The output files of an operation, or its data. Methods such as `bytes()` require that there is exactly one file. */
export class Result {
  readonly files: readonly StoredFile[];
  /** The data of an operation that returns data instead of files. */
  readonly data: Readonly<Record<string, unknown>> | undefined;
  /** IDs of the stored inputs, in the order of the inputs. */
  readonly inputIds: readonly string[];
  /** Sentences about content that the documents lost, one for each kind of loss. */
  readonly notices: readonly string[];
  readonly inputSizeBytes: number | undefined;
  readonly substitutedFonts: NonNullable<JobResponse["substitutedFonts"]>;

  constructor(response: JobResponse, fileOf: (stored: StoredInput) => StoredFile) {
    const { outputId, outputSize, inputSize, inputId = [], notices = [], substitutedFonts = [], ...others } = response;
    const { outputUrl: _, requestId: __, ...data } = others;
    this.files = [outputId ?? []].flat().map((id) => fileOf({ id, sizeBytes: outputSize }));
    this.data = outputId === undefined ? data : undefined;
    this.inputIds = [inputId].flat();
    this.notices = notices;
    this.inputSizeBytes = inputSize;
    this.substitutedFonts = substitutedFonts;
  }

  /** The only output file. @throws PagewrightError unless there is exactly one */
  get file(): StoredFile {
    const [file, ...others] = this.files;
    if (file && others.length === 0) return file;
    const instead = this.data ? "data" : "files";
    throw new PagewrightError(0, `The result has ${this.files.length} files: use its \`${instead}\`.`);
  }

  get id(): string {
    return this.file.id;
  }

  get url(): string {
    return this.file.url;
  }

  get sizeBytes(): number | undefined {
    return this.file.sizeBytes;
  }

  stream(options?: CallOptions): Promise<Download["body"]> {
    return this.file.stream(options);
  }

  blob(options?: CallOptions): Promise<Blob> {
    return this.file.blob(options);
  }

  bytes(options?: CallOptions): Promise<Uint8Array<ArrayBuffer>> {
    return this.file.bytes(options);
  }

  text(options?: CallOptions): Promise<string> {
    return this.file.text(options);
  }

  /**
   * Saves a single file like {@link StoredFile.save}. Saves several files under their own names in the folder `path`.
   */
  async save(path: string, options?: CallOptions): Promise<readonly string[]> {
    const [file, ...others] = this.files;
    if (file && others.length === 0) return [await file.save(path, options)];
    const folder = path.endsWith("/") ? path : `${path}/`;
    const paths: string[] = [];
    for (const each of this.files) paths.push(await each.save(folder, options));
    return paths;
  }

  /** Deletes the output files from the service. Does not delete stored inputs. */
  async delete(options?: CallOptions): Promise<void> {
    for (const file of this.files) await file.delete(options);
  }
}
