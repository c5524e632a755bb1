// Creates instances of the codecs that Emscripten compiled. Each picture has an instance of its own, which is dropped with
// the picture, because the memory of an instance never shrinks.

/** The function that a package's glue code exports. */
type Factory = (options: object) => Promise<unknown>;

/** Loads a package's glue code, and its module. */
export type Codec = () => Promise<
  readonly [glue: { readonly default: unknown }, module: { readonly default: WebAssembly.Module }]
>;

/** @throws Error if the module does not fit the glue code */
export async function instantiate<T>(codec: Codec): Promise<T> {
  const [{ default: factory }, { default: module }] = await codec();
  return (await (factory as Factory)({
    instantiateWasm(
      imports: WebAssembly.Imports,
      done: (instance: WebAssembly.Instance, of: WebAssembly.Module) => void,
    ) {
      const instance = new WebAssembly.Instance(module, imports);
      done(instance, module);
      return instance.exports;
    },
    print: ignore,
    printErr: ignore,
  })) as T;
}

function ignore(): void {}
