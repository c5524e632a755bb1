// What `#wasm/*.wasm` gives (package.json "imports"): a compiled module, in workerd and in Node alike.

declare module "#wasm/*.wasm" {
  const module: WebAssembly.Module;
  export default module;
}
