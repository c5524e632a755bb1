// What a request to a foreign route becomes: documents, and the steps that they go through.

import { extensionIn, stem } from "../document/contract/file-name.ts";
import type { ReceivedFile } from "../service/storage/file.ts";
import { FormErrors, type SentValues } from "./fields.ts";
import { byName } from "./order.ts";

/** A step of /steps: the name of an endpoint, and the fields of its JSON body. */
export type StepBody = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

export interface Plan {
  /** The documents of the first step, in their order. */
  readonly documents: readonly ReceivedFile[];
  /** Instead of documents, the address of a web page. */
  readonly url?: string;
  /** The steps. Without any, the documents are returned. */
  readonly steps: readonly StepBody[];
  /** Further files, to which steps refer by name. */
  readonly further?: readonly ReceivedFile[];
  /** Returns the name of an output, see ParsedRequest. */
  nameOf?(index: number): string | undefined;
}

/** Fields whose files are not documents. */
const OTHER_FILES = ["embeds", "watermark", "stamp", "facturxXml"] as const;
type OtherFiles = (typeof OTHER_FILES)[number];

/** The parsed body of a request. */
export class ForeignForm {
  readonly values: SentValues;
  readonly errors = new FormErrors();
  readonly #files: ReadonlyMap<string, readonly ReceivedFile[]>;
  readonly #read: (file: ReceivedFile) => Promise<string>;

  /** @param read returns the text of a file */
  constructor(
    { fields, files }: { readonly fields: SentValues; readonly files: ReadonlyMap<string, readonly ReceivedFile[]> },
    read: (file: ReceivedFile) => Promise<string>,
  ) {
    this.values = fields;
    this.#files = files;
    this.#read = read;
  }

  /** Returns the files of a field that has no documents, in order of arrival. */
  filesOf(field: OtherFiles): readonly ReceivedFile[] {
    return this.#files.get(field) ?? [];
  }

  /** All files that are documents or their parts. Of files with the same name, the last one counts. */
  get all(): readonly ReceivedFile[] {
    const all = [...this.#files].filter(([field]) => !(OTHER_FILES as readonly string[]).includes(field));
    return [...new Map(all.flatMap(([, files]) => files.map((file) => [file.name, file]))).values()];
  }

  /** Returns the documents with these extensions, by name. Adds an error if there are none. */
  documents(extensions: readonly string[]): readonly ReceivedFile[] {
    const found = this.all.filter(({ name }) => extensions.includes(extensionIn(name)));
    if (found.length === 0) {
      this.errors.add(`no form file found for extensions: [${extensions.map((one) => `.${one}`).join(" ")}]`);
    }
    return found.toSorted((one, other) => byName(one.name, other.name));
  }

  /** Returns the file of this name, whose extension can be in capitals. */
  file(name: string): ReceivedFile | undefined {
    return this.all.find((file) => file.name === name || `${stem(file.name)}.${extensionIn(file.name)}` === name);
  }

  /** Returns the text of a file; undefined if the request does not have it. */
  async content(name: string): Promise<string | undefined> {
    const file = this.file(name);
    return file && this.#read(file);
  }

  /** Adds an error if the request does not have this file. */
  required(name: string): readonly ReceivedFile[] {
    const file = this.file(name);
    if (!file) this.errors.add(`form file '${name}' is required`);
    return file ? [file] : [];
  }

  /** Adds an error if the request does not have this field. */
  requireField(name: string): void {
    if (!this.values.get(name)?.[0]) this.errors.add(`form field '${name}' is required`);
  }
}
