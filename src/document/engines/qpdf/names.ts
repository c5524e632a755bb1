// Maps the names of Emscripten's C and C++ runtime to the imports and exports of qpdf's module, which have letters
// instead of names. The letters differ between builds, so wasm/qpdf/build.ts accepts only the build that these tables
// describe.
import type { QpdfExports } from "./program.ts";

/** Letters of imports by name, except the wrappers of calls.ts. */
const IMPORTS = {
  // Process, clock, memory.
  __assert_fail: "o",
  _abort_js: "Q",
  _emscripten_throw_longjmp: "M",
  exit: "t",
  proc_exit: "N",
  _emscripten_runtime_keepalive_clear: "O",
  _setitimer_js: "P",
  emscripten_date_now: "F",
  _tzset_js: "H",
  _localtime_js: "W",
  emscripten_resize_heap: "S",
  environ_get: "Y",
  environ_sizes_get: "Z",
  // Files.
  __syscall_openat: "E",
  fd_close: "C",
  fd_read: "$",
  fd_write: "_",
  fd_seek: "X",
  __syscall_stat64: "U",
  __syscall_fcntl64: "w",
  __syscall_ioctl: "D",
  __syscall_unlinkat: "T",
  __syscall_renameat: "V",
  // C++ exceptions.
  __cxa_throw: "a",
  __cxa_begin_catch: "n",
  __cxa_end_catch: "q",
  __cxa_rethrow: "B",
  __resumeException: "g",
  __cxa_find_matching_catch_2: "d",
  __cxa_find_matching_catch_3: "j",
  __cxa_find_matching_catch_4: "K",
  __cxa_uncaught_exceptions: "R",
  llvm_eh_typeid_for: "A",
} as const;

/** Letters of exports by purpose. */
const EXPORTS: Readonly<Record<Exclude<keyof QpdfExports, "fuel">, string>> = {
  memory: "aa",
  callConstructors: "ba",
  main: "ca",
  functions: "da",
  setThrew: "fa",
  setResult: "ga",
  restoreStack: "ha",
  allocateOnStack: "ia",
  stackPointer: "ja",
  decrementReferences: "ka",
  incrementReferences: "la",
  canCatch: "ma",
  exceptionPointer: "na",
};

/** Returns the imports, keyed by the letters of the module. */
export function lettered(imports: Readonly<Record<keyof typeof IMPORTS, WebAssembly.ImportValue>>) {
  return Object.fromEntries(
    Object.entries(IMPORTS).map(([name, letter]) => [letter, imports[name as keyof typeof IMPORTS]]),
  );
}

/** Returns the exports of the module by purpose. */
export function namedExports(exports: WebAssembly.Exports): QpdfExports {
  const named = Object.entries(EXPORTS).map(([name, letter]) => [name, exports[letter]]);
  return { ...Object.fromEntries(named), fuel: exports.fuel };
}
