// Declares the modules `#wasm/*.wasm` (package.json "imports"). In workerd and in Node, each is a compiled module.

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
