// Declares the modules `#wasm/*.wasm` (package.json "imports"): a compiled module, in workerd and in Node.

declare module "#wasm/*.wasm" {
  const module: WebAssembly.Module;
  export default module;
}

// Declares the reference decoders of tests, which workerd imports as compiled modules too.
declare module "@jsquash/jpeg/codec/dec/mozjpeg_dec.wasm" {
  const module: WebAssembly.Module;
  export default module;
}
declare module "@jsquash/png/codec/pkg/squoosh_png_bg.wasm" {
  const module: WebAssembly.Module;
  export default module;
}
