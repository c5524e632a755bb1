// Opens a PDF in MuPDF, repairs its page tree if necessary, and counts its pages. mupdf/page.ts draws the pages.

import { contains } from "../../contract/contains.ts";
import { EngineFailure } from "../../contract/failure.ts";
import { formsOf } from "../../encryption/password-forms.ts";
import { Mupdf, MupdfError, type MupdfOptions } from "./instance/mupdf.ts";
import type { MupdfExports, Pointer } from "./instance/raw.ts";
import { Layers } from "./layers.ts";
import { PdfObjects } from "./objects.ts";
import { correctPage } from "./page-object.ts";
import { settlePageTree } from "./page-tree.ts";
import { DocumentStructure } from "./structure/document-structure.ts";

/** Number of bytes within which the header must start (ISO 32000-1, Annex H, implementation note 13). */
const HEADER_WINDOW = 1024;
/** The first encryption version (`V`) with crypt filters. */
const CRYPT_FILTERS_VERSION = 4;

/** Bits in the result of an authentication. */
const OPENED_BY_USER = 2;
const OPENED_BY_OWNER = 4;
const OPENED_BY_BOTH = OPENED_BY_USER | OPENED_BY_OWNER;

/** Passwords that a client sent for a document. Those that the document does not have are ignored. */
export interface Passwords {
  readonly open?: string | undefined;
  readonly permissions?: string | undefined;
}

/** The rights that the passwords confer. */
export interface Access {
  /** True if the document, or its embedded files, do not open without a password. */
  readonly needsPassword: boolean;
  /** True if pages and metadata are unencrypted, so that only embedded files need the password. */
  readonly isInTheClear: boolean;
  /** True if the open password is right, or the document has none. */
  readonly isUser: boolean;
  /** True if a password, which can be the empty one, is the permissions password. */
  readonly isOwner: boolean;
  /** The password that is the permissions password but not the open password. */
  readonly permissionsPassword?: string | undefined;
  /** The first password that the client sent and the document has, but with another value. */
  readonly wrong?: keyof Passwords | undefined;
}

/** Corrects a page in memory before it is loaded. */
export type PageRepair = (page: Pointer) => void;

export interface DocumentOptions extends MupdfOptions {
  /** Called each time the document is opened. @default pages are loaded unchanged */
  readonly repair?: (document: MupdfDocument) => PageRepair;
  /** @default the empty password */
  readonly passwords?: Passwords | undefined;
  /**
   * True to open a document whose password is unknown, too. Its strings and streams stay encrypted. @default false
   */
  readonly withoutKey?: boolean | undefined;
  /** True to show hidden layers too. @default the layers that a viewer shows */
  readonly showsAllLayers?: boolean;
}

/** An open document. Its bytes stay outside the engine's heap; the engine reads them through a stream. */
export class MupdfDocument {
  readonly bytes: Uint8Array;
  readonly options: DocumentOptions;
  #engine: Mupdf;
  /** Number of the stream with the document's bytes. */
  #stream = 0;
  #pointer: Pointer = 0;
  #objects!: PdfObjects;
  #layers!: Layers;
  #structure: DocumentStructure | undefined;
  #repair: PageRepair | undefined;
  #pageCount = 0;
  #isRewritten = false;
  #isLocked = false;
  #access: Access = { needsPassword: false, isInTheClear: true, isUser: true, isOwner: true };

  private constructor(engine: Mupdf, bytes: Uint8Array, options: DocumentOptions) {
    this.#engine = engine;
    this.bytes = bytes;
    this.options = options;
  }

  /** @throws EngineFailure `password-protected`, `not-a-pdf`, `damaged`, `too-large`, `too-complex` or `crashed` */
  static open(engine: Mupdf, bytes: Uint8Array, options: DocumentOptions): MupdfDocument {
    const document = new MupdfDocument(engine, bytes, options);
    document.#open();
    document.#settlePages();
    return document;
  }

  get engine(): Mupdf {
    return this.#engine;
  }

  get pointer(): Pointer {
    return this.#pointer;
  }

  get pageCount(): number {
    return this.#pageCount;
  }

  /** True if the document has layers, and a page was loaded. */
  get hasLayers(): boolean {
    return this.#layers.areUsed;
  }

  /** True if the page tree was rewritten, so that the engine's objects differ from the objects in the file. */
  get isRewritten(): boolean {
    return this.#isRewritten;
  }

  /** The document's objects, valid until the document is reopened. */
  get objects(): PdfObjects {
    return this.#objects;
  }

  /** The elements of tagged pages, valid like {@link objects}. Undefined unless they were requested and exist. */
  get structure(): DocumentStructure | undefined {
    return this.#structure;
  }

  /** True if only the embedded files need a password. */
  get isLocked(): boolean {
    return this.#isLocked;
  }

  get access(): Access {
    return this.#access;
  }

  get isEncrypted(): boolean {
    return this.#engine.run((raw) => {
      const trailer = raw._wasm_pdf_trailer(this.#pointer);
      return this.#objects.isDictionary(this.#objects.get(trailer, "Encrypt"));
    });
  }

  /** Number of warnings and errors that MuPDF reported. */
  get messageCount(): number {
    return this.#engine.messageCount;
  }

  /** Reopens the document in a new engine. Invalidates everything loaded from the old engine. */
  async reopen(): Promise<void> {
    const engine = await Mupdf.create(this.options);
    this.#engine.close();
    this.#engine = engine;
    this.#open();
    if (this.#isRewritten) this.#settlePages();
  }

  close(): void {
    this.#engine.close();
  }

  /** Closes the document but keeps the engine open, because other documents of the job use it. */
  leave(): void {
    this.#engine.release((raw) => raw._wasm_drop_document(this.#pointer));
    this.#engine.removeSource(this.#stream);
  }

  /**
   * Closes the document.
   * @returns the engine, for another document of the job; undefined if the engine reported a message, or refused memory
   */
  release(): Mupdf | undefined {
    const engine = this.#engine;
    if (engine.messageCount > 0 || engine.refusals > 0) engine.close();
    engine.release((raw) => {
      raw._wasm_drop_document(this.#pointer);
      raw._wasm_empty_store();
    });
    engine.removeSource(this.#stream);
    return engine.dead ? undefined : engine;
  }

  /**
   * Loads a page.
   * @param index from 0
   * @returns a pointer to the page
   * @throws MupdfError if the page cannot be loaded
   */
  loadPage(index: number): Pointer {
    try {
      const page = this.#engine.run((raw) => raw._wasm_pdf_lookup_page_obj(this.#pointer, index));
      this.#repair?.(page);
      this.#engine.run((raw) => {
        correctPage(raw, this.#objects, page, this.options.annotations ?? "on-screen");
        this.#layers.settle(page);
      });
    } catch (error) {
      if (!(error instanceof MupdfError)) throw error;
      this.#engine.complain();
    }
    const load = () => this.#engine.run((raw) => raw._wasm_load_page(this.#pointer, index));
    try {
      return load();
    } catch (error) {
      if (!(error instanceof MupdfError)) throw error;
      // If the engine read a damaged object in the meantime, it repaired the document, and so discarded the page tree.
      this.#settlePages();
      return load();
    }
  }

  #open(): void {
    const looksLikePdf = hasHeader(this.bytes);
    if (!looksLikePdf && !hasObjects(this.bytes)) throw new EngineFailure("not-a-pdf", "no header and no objects");
    const engine = this.#engine;
    this.#objects = new PdfObjects(engine);
    this.#stream = engine.addSource(this.bytes);
    try {
      engine.run((raw) => {
        const stream = raw._wasm_new_stream(this.#stream);
        const opened = engine.withText("application/pdf", (magic) =>
          raw._wasm_open_document_with_stream(magic, stream),
        );
        raw._wasm_drop_stream(stream);
        this.#pointer = raw._wasm_pdf_document_from_fz_document(opened);
        if (this.#pointer === 0) throw new EngineFailure("not-a-pdf", "recognized as another kind of document");
        raw._wasm_pdf_disable_js(this.#pointer);
        this.#authenticate(raw);
        if (this.#isLocked && !this.options.withoutKey && !this.#access.isInTheClear) {
          throw new EngineFailure("password-protected", "a password is needed");
        }
      });
    } catch (error) {
      // With public-key encryption, the recipient's private key opens the document (ISO 32000-1, 7.6.4); MuPDF supports
      // only passwords.
      if (error instanceof MupdfError && contains(this.bytes, "/Adobe.PubSec")) {
        throw new EngineFailure("password-protected", error.message, { cause: error });
      }
      throw this.failure(error, looksLikePdf ? "damaged" : "not-a-pdf");
    }
    this.#layers = new Layers(engine, this.#objects, this.#pointer, this.options.showsAllLayers ?? false);
    this.#structure = undefined;
    if (this.options.withoutStructure) this.#forgetStructure();
    this.#repair = this.options.repair?.(this);
  }

  /** Tries the passwords, and leaves the engine with the key of a right one. */
  #authenticate(raw: MupdfExports): void {
    // MuPDF tries the empty user password, which opens documents that have only an owner password.
    const needsPassword = raw._wasm_needs_password(this.#pointer) !== 0;
    this.#isLocked = needsPassword;
    const encryption = this.#objects.get(raw._wasm_pdf_trailer(this.#pointer), "Encrypt");
    if (!this.#objects.isDictionary(encryption)) return;
    const revision = this.#objects.real(this.#objects.get(encryption, "R")) ?? 0;
    const { open, permissions } = this.options.passwords ?? {};
    const passwords = [...new Set([needsPassword ? undefined : "", open, permissions])];
    const attempts: { readonly password: string; readonly form: string; readonly bits: number }[] = [];
    const attempt = (password: string, form: string) => {
      const bits = this.#engine.withText(form, (text) => raw._wasm_authenticate_password(this.#pointer, text));
      attempts.push({ password, form, bits });
      return bits !== 0;
    };
    for (const password of passwords) {
      if (password !== undefined) formsOf(password, revision).some((form) => attempt(password, form));
    }
    // A wrong password spoils the engine's key, so the last attempt must be right.
    const right = attempts.findLast(({ bits }) => bits !== 0);
    if (right && right !== attempts.at(-1)) attempt(right.password, right.form);
    this.#isLocked = !right;
    const isUser = !needsPassword || attempts.some((one) => one.password === open && (one.bits & OPENED_BY_USER) !== 0);
    const isOwner = attempts.some(({ bits }) => (bits & OPENED_BY_OWNER) !== 0);
    const permissionsPassword = attempts.find(({ bits }) => bits === OPENED_BY_OWNER)?.password;
    const isWrong = {
      open: needsPassword && !attempts.some(({ password, bits }) => password === open && bits !== 0),
      // If the open password is also the permissions password, the document has no separate one.
      permissions: !attempts.some(
        ({ password, bits }) => bits === OPENED_BY_BOTH || (password === permissions && (bits & OPENED_BY_OWNER) !== 0),
      ),
    };
    const wrong = (["open", "permissions"] as const).find(
      (one) => this.options.passwords?.[one] !== undefined && isWrong[one],
    );
    const isInTheClear = this.#isInTheClear(raw);
    this.#access = { needsPassword, isInTheClear, isUser, isOwner, permissionsPassword, wrong };
  }

  /** Reports whether strings and streams are unencrypted by default (ISO 32000-1, table 20). */
  #isInTheClear(raw: MupdfExports): boolean {
    const objects = this.#objects;
    const encryption = objects.get(raw._wasm_pdf_trailer(this.#pointer), "Encrypt");
    if ((objects.real(objects.get(encryption, "V")) ?? 0) < CRYPT_FILTERS_VERSION) return false;
    return ["StmF", "StrF"].every((key) => ["", "Identity"].includes(objects.name(objects.get(encryption, key))));
  }

  #forgetStructure(): void {
    try {
      this.#engine.run((raw) => {
        const root = this.#objects.get(raw._wasm_pdf_trailer(this.#pointer), "Root");
        if (!this.#objects.isDictionary(root)) return;
        if (this.options.readsStructure) this.#keepStructure(root);
        this.#objects.delete(root, "StructTreeRoot");
      });
    } catch (error) {
      throw this.failure(error, "damaged");
    }
  }

  #keepStructure(catalog: Pointer): void {
    const tree = this.#objects.get(catalog, "StructTreeRoot");
    if (!this.#objects.isDictionary(tree)) return;
    const kept = this.#engine.raw._wasm_pdf_keep_obj(tree);
    this.#structure = new DocumentStructure(this.#engine, this.#objects, this.#pointer, kept);
  }

  #settlePages(): void {
    const { refusals } = this.#engine;
    try {
      const { pageCount, isRewritten } = settlePageTree(this.#engine, this.#objects, this.#pointer);
      // If memory for an object is refused, the engine reports the object as missing, so the rewritten tree can lack
      // pages.
      if (isRewritten && this.#engine.refusals > refusals) throw new EngineFailure("too-large", "the page tree");
      this.#pageCount = pageCount;
      this.#isRewritten = isRewritten;
    } catch (error) {
      throw this.failure(error, "damaged");
    }
    if (this.#pageCount < 1) throw new EngineFailure("damaged", "it has no pages");
  }

  /** Maps an engine error to the failure of the job. */
  failure(error: unknown, reason: "damaged" | "not-a-pdf"): unknown {
    if (!(error instanceof MupdfError)) return error;
    return new EngineFailure(this.#engine.refusals > 0 ? "too-large" : reason, error.message, { cause: error });
  }
}

function hasHeader(bytes: Uint8Array): boolean {
  return contains(bytes.subarray(0, HEADER_WINDOW), "%PDF-");
}

/**
 * Reports whether a document without a header can be repaired: it needs objects, and a trailer, catalog or
 * cross-reference stream.
 */
function hasObjects(bytes: Uint8Array): boolean {
  return (
    contains(bytes, " obj") && (contains(bytes, "trailer") || contains(bytes, "/Catalog") || contains(bytes, "/XRef"))
  );
}
