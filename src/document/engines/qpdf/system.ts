// System interface of qpdf's module: files, standard streams, clock, memory, C++ exceptions. There are two files: the
// input document, which is read in place, and the output, which is passed on in chunks.

import { callImports } from "./calls.ts";
import { lettered } from "./names.ts";
import { ProgramEnd, type QpdfExports, type SystemOptions } from "./program.ts";

const INPUT_PATH = "/input.pdf";
const OUTPUT_PATH = "/output.pdf";
const RANDOM_PATH = "/dev/urandom";

/** Error numbers of WASI, which the module's C library uses. */
const ERROR = { badDescriptor: 8, noSuchFile: 44, notATerminal: 59, notPermitted: 63, cannotSeek: 70, invalid: 28 };
const SEEK = { set: 0, current: 1 };
/** Layout of the header before a thrown C++ object (Emscripten's layout, for exceptions implemented in JavaScript). */
const HEADER = { bytes: 24, type: 4, destructor: 8, caught: 12, rethrown: 13, adjusted: 16 };

interface OpenFile {
  readonly path: string;
  position: number;
  read?(target: Uint8Array, position: number): number;
  write?(bytes: Uint8Array): void;
  /** @returns the size in bytes */
  size(): number;
  readonly canSeek: boolean;
}

export class QpdfSystem {
  readonly #options: SystemOptions;
  readonly #files: (OpenFile | undefined)[];
  #exports!: QpdfExports;
  #bytes = new Uint8Array(0);
  #view = new DataView(new ArrayBuffer(0));
  #outputBytes = 0;
  #caught: number[] = [];
  #lastThrown = 0;
  #uncaught = 0;

  constructor(options: SystemOptions) {
    this.#options = options;
    const stream = (path: string, write: (bytes: Uint8Array) => void): OpenFile => {
      return { path, position: 0, write, size: () => 0, canSeek: false };
    };
    this.#files = [
      { path: "stdin", position: 0, read: () => 0, size: () => 0, canSeek: false },
      stream("stdout", options.print),
      stream("stderr", options.complain),
    ];
  }

  /** Sets the module's exports. Must be called before any function of the module. */
  attach(exports: QpdfExports): void {
    this.#exports = exports;
  }

  /** Writes the arguments to the stack. @returns the address of `argv` */
  arguments(values: readonly string[]): number {
    const { allocateOnStack } = this.#exports;
    const list = allocateOnStack(4 * (values.length + 1));
    values.forEach((value, index) => {
      const text = new TextEncoder().encode(`${value}\0`);
      const address = allocateOnStack(text.length);
      this.#memory().set(text, address);
      this.#words().setUint32(list + 4 * index, address, true);
    });
    this.#words().setUint32(list + 4 * values.length, 0, true);
    return list;
  }

  imports(): WebAssembly.Imports {
    const calls = callImports(() => this.#exports);
    const named = { ...this.#processImports(), ...this.#fileImports(), ...this.#exceptionImports() };
    return { a: { ...lettered(named), ...calls } };
  }

  #memory(): Uint8Array {
    if (this.#bytes.buffer !== this.#exports.memory.buffer) this.#bytes = new Uint8Array(this.#exports.memory.buffer);
    return this.#bytes;
  }

  #words(): DataView {
    if (this.#view.buffer !== this.#exports.memory.buffer) this.#view = new DataView(this.#exports.memory.buffer);
    return this.#view;
  }

  #text(address: number): string {
    const bytes = this.#memory();
    return new TextDecoder().decode(bytes.subarray(address, bytes.indexOf(0, address)));
  }

  #processImports() {
    const end = (status: number): never => {
      throw new ProgramEnd(status);
    };
    const stop = (what: string) => (): never => {
      throw new Error(what);
    };
    return {
      __assert_fail: stop("an assertion failed"),
      _abort_js: stop("aborted"),
      _emscripten_throw_longjmp: stop("longjmp"),
      exit: end,
      proc_exit: end,
      _emscripten_runtime_keepalive_clear() {},
      _setitimer_js: () => 0,
      emscripten_date_now: () => Date.now(),
      // Writes the time zone UTC: offset in minutes, daylight saving flag, names of both zones.
      _tzset_js: (minutes: number, daylight: number, standard: number, summer: number) => {
        this.#words().setInt32(minutes, 0, true);
        this.#words().setInt32(daylight, 0, true);
        for (const name of [standard, summer]) this.#memory().set(new TextEncoder().encode("UTC\0"), name);
      },
      _localtime_js: (seconds: bigint, target: number) => this.#calendar(Number(seconds), target),
      emscripten_resize_heap: (bytes: number) => Number(this.#grow(bytes >>> 0)),
      environ_get: () => 0,
      environ_sizes_get: (count: number, size: number) => {
        this.#words().setUint32(count, 0, true);
        this.#words().setUint32(size, 0, true);
        return 0;
      },
    };
  }

  /** Writes a `struct tm` (ISO C, 7.27.1). */
  #calendar(seconds: number, target: number): void {
    const time = new Date(seconds * 1000);
    const year = time.getUTCFullYear();
    const dayOfYear = Math.floor((time.getTime() - Date.UTC(year, 0, 1)) / 86_400_000);
    const fields = [
      ...[time.getUTCSeconds(), time.getUTCMinutes(), time.getUTCHours(), time.getUTCDate(), time.getUTCMonth()],
      ...[year - 1900, time.getUTCDay(), dayOfYear, 0, 0],
    ];
    fields.forEach((value, index) => void this.#words().setInt32(target + 4 * index, value, true));
  }

  #grow(bytes: number): boolean {
    const { memory } = this.#exports;
    // Tries to grow by an eighth of the current size more than requested, because each growth is slow.
    for (const wanted of [bytes + memory.buffer.byteLength / 8, bytes]) {
      if (!this.#options.mayGrow(wanted)) continue;
      try {
        memory.grow(Math.ceil((wanted - memory.buffer.byteLength) / 65_536));
        return true;
      } catch {
        // The machine has no memory left.
      }
    }
    return false;
  }

  /** Opens a file. @returns undefined if it does not exist */
  #open(path: string): OpenFile | undefined {
    const { input } = this.#options;
    const at = { path, position: 0, canSeek: true };
    if (path === INPUT_PATH) {
      const read = (target: Uint8Array, position: number) => {
        this.#options.worked();
        const part = input.subarray(position, position + target.length);
        target.set(part);
        return part.length;
      };
      return { ...at, read, size: () => input.length };
    }
    if (path === OUTPUT_PATH) {
      const write = (bytes: Uint8Array) => {
        this.#outputBytes += bytes.length;
        this.#options.output(bytes);
      };
      return { ...at, write, size: () => this.#outputBytes };
    }
    if (path !== RANDOM_PATH) return undefined;
    return {
      ...at,
      read: (target) => crypto.getRandomValues(target as Uint8Array<ArrayBuffer>).length,
      size: () => 0,
      canSeek: false,
    };
  }

  #fileImports() {
    return {
      __syscall_openat: (_folder: number, path: number) => {
        const file = this.#open(this.#text(path));
        return file ? this.#files.push(file) - 1 : -ERROR.noSuchFile;
      },
      fd_close: (descriptor: number) => {
        if (!this.#files[descriptor]) return ERROR.badDescriptor;
        this.#files[descriptor] = undefined;
        return 0;
      },
      fd_read: (descriptor: number, vectors: number, count: number, done: number) =>
        this.#transfer(vectors, count, done, (bytes) => {
          const file = this.#files[descriptor];
          const read = file?.read?.(bytes, file.position);
          if (file && read) file.position += read;
          return read;
        }),
      fd_write: (descriptor: number, vectors: number, count: number, done: number) =>
        this.#transfer(vectors, count, done, (bytes) => {
          const file = this.#files[descriptor];
          // The output can be written only once, sequentially.
          if (!file?.write || (file.canSeek && file.position !== file.size())) return undefined;
          file.write(bytes);
          file.position += bytes.length;
          return bytes.length;
        }),
      fd_seek: (descriptor: number, offset: bigint, whence: number, result: number) => {
        const file = this.#files[descriptor];
        if (!file) return ERROR.badDescriptor;
        if (!file.canSeek) return ERROR.cannotSeek;
        const from = whence === SEEK.set ? 0 : whence === SEEK.current ? file.position : file.size();
        const position = from + Number(offset);
        if (position < 0) return ERROR.invalid;
        file.position = position;
        this.#words().setBigInt64(result, BigInt(file.position), true);
        return 0;
      },
      __syscall_stat64: (path: number, target: number) => {
        const name = this.#text(path);
        const file = this.#open(name);
        if (!file || (name === OUTPUT_PATH && this.#outputBytes === 0)) return -ERROR.noSuchFile;
        this.#describe(file, target);
        return 0;
      },
      // The program calls fcntl() only for descriptor flags, which these files do not have.
      __syscall_fcntl64: () => 0,
      __syscall_ioctl: () => -ERROR.notATerminal,
      __syscall_unlinkat: () => -ERROR.notPermitted,
      __syscall_renameat: () => -ERROR.notPermitted,
    };
  }

  /** Writes a `struct stat` of the module's C library. */
  #describe(file: OpenFile, target: number): void {
    const REGULAR = 0o100644;
    const STRUCTURE_BYTES = 96;
    const words = this.#words();
    this.#memory().fill(0, target, target + STRUCTURE_BYTES);
    words.setUint32(target, 1, true);
    words.setUint32(target + 4, REGULAR, true);
    words.setUint32(target + 8, 1, true);
    words.setBigInt64(target + 24, BigInt(file.size()), true);
    words.setUint32(target + 32, 4096, true);
    words.setBigInt64(target + 88, file.path === INPUT_PATH ? 1n : 2n, true);
  }

  /**
   * Implements readv() and writev(): calls `each` for every buffer. `each` returns the number of bytes transferred;
   * undefined for a bad descriptor.
   */
  #transfer(vectors: number, count: number, done: number, each: (bytes: Uint8Array) => number | undefined): number {
    let total = 0;
    for (let index = 0; index < count; index++) {
      const address = this.#words().getUint32(vectors + 8 * index, true);
      const length = this.#words().getUint32(vectors + 8 * index + 4, true);
      if (length === 0) continue;
      const moved = each(this.#memory().subarray(address, address + length));
      if (moved === undefined) return ERROR.badDescriptor;
      total += moved;
      if (moved < length) break;
    }
    this.#words().setUint32(done, total, true);
    return 0;
  }

  /** Implements C++ exceptions: throws the address of the object as a JavaScript number. */
  #exceptionImports() {
    return {
      __cxa_throw: (object: number, type: number, destructor: number): never => {
        const words = this.#words();
        words.setUint32(headerOf(object) + HEADER.adjusted, 0, true);
        words.setUint32(headerOf(object) + HEADER.type, type, true);
        words.setUint32(headerOf(object) + HEADER.destructor, destructor, true);
        this.#lastThrown = object;
        this.#uncaught++;
        throw object;
      },
      __cxa_begin_catch: (object: number): number => {
        const bytes = this.#memory();
        if (bytes[headerOf(object) + HEADER.caught] === 0) {
          bytes[headerOf(object) + HEADER.caught] = 1;
          this.#uncaught--;
        }
        bytes[headerOf(object) + HEADER.rethrown] = 0;
        this.#caught.push(object);
        this.#exports.incrementReferences(object);
        return this.#exports.exceptionPointer(object);
      },
      __cxa_end_catch: (): void => {
        this.#exports.setThrew(0, 0);
        const object = this.#caught.pop();
        if (object !== undefined) this.#exports.decrementReferences(object);
        this.#lastThrown = 0;
      },
      __cxa_rethrow: (): never => {
        const object = this.#caught.pop();
        if (object === undefined) throw new Error("nothing to throw again");
        const bytes = this.#memory();
        if (bytes[headerOf(object) + HEADER.rethrown] === 0) {
          this.#caught.push(object);
          bytes[headerOf(object) + HEADER.rethrown] = 1;
          bytes[headerOf(object) + HEADER.caught] = 0;
          this.#uncaught++;
        }
        this.#lastThrown = object;
        throw object;
      },
      __resumeException: (object: number): never => {
        this.#lastThrown ||= object;
        throw this.#lastThrown;
      },
      __cxa_find_matching_catch_2: () => this.#find([]),
      __cxa_find_matching_catch_3: (type: number) => this.#find([type]),
      __cxa_find_matching_catch_4: (one: number, other: number) => this.#find([one, other]),
      __cxa_uncaught_exceptions: () => this.#uncaught,
      llvm_eh_typeid_for: (type: number) => type,
    };
  }

  /**
   * Finds the first type that catches the last thrown object, and reports it to the module. Type 0 catches all objects.
   */
  #find(types: readonly number[]): number {
    const { setResult, canCatch } = this.#exports;
    const object = this.#lastThrown;
    const type = object === 0 ? 0 : this.#words().getUint32(headerOf(object) + HEADER.type, true);
    if (object !== 0) this.#words().setUint32(headerOf(object) + HEADER.adjusted, object, true);
    const found = types.find(
      (caught) => caught === 0 || caught === type || canCatch(caught, type, headerOf(object) + HEADER.adjusted) !== 0,
    );
    setResult(object === 0 ? 0 : (found ?? type));
    return object;
  }
}

const headerOf = (object: number): number => object - HEADER.bytes;

export { INPUT_PATH, OUTPUT_PATH };
