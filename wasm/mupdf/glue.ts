// Edits the Emscripten glue of the npm package: removes platform detection, fetching and globals, and takes the heap
// limit and callbacks from the configuration. Every edit must match.

interface Edit {
  readonly from: string;
  readonly to: string;
  /** Number of occurrences of `from`. @default 1 */
  readonly times?: number;
}

const EDITS: readonly Edit[] = [
  // Removes the branches for Node, browsers and workers, because the caller always passes the module.
  {
    from: '"object"==typeof process&&"object"==typeof process.versions&&"string"==typeof process.versions.node&&"renderer"!=process.type',
    to: "!1",
  },
  { from: 'if(m){const{createRequire:_}=await(import("module"));var o=_(import.meta.url)}', to: "" },
  { from: 'n="object"==typeof window,i="undefined"!=typeof WorkerGlobalScope', to: "n=!1,i=!1" },
  { from: "f=import.meta.url,", to: 'f="",' },
  { from: 'new URL("mupdf-wasm.wasm",import.meta.url).href', to: '""' },
  // Each engine has its own callbacks, because several engines exist concurrently. The minifier does not use the name
  // `engine`.
  { from: "var _=async function(_={}){var a,e,t=_,", to: "var _=async function(_={}){const engine=_;var a,e,t=_," },
  { from: "globalThis.$libmupdf_", to: "engine.hooks.", times: 37 },
  { from: "throw new Error(G(_))", to: "throw engine.failure(G(_))" },
  // The whole file is present. If MuPDF requests more data, the file is invalid.
  { from: 'throw"TRYLATER"', to: 'throw engine.failure("more data is wanted")' },
  // The owner of the engine limits the growth of the heap. The original glue would add a fifth of its size.
  {
    from:
      "h:_=>{var a=h.length,e=2147483648;if((_>>>=0)>e)return!1;for(var t=1;t<=4;t*=2){var " +
      "s=a*(1+.2/t);s=Math.min(s,_+100663296);var " +
      "n=Math.min(e,V(Math.max(_,s),65536));if(Z(n))return!0}return!1}",
    to: "h:_=>engine.growHeap(_>>>0,Z)?1:0",
  },
];

/** @throws Error if the number of matches is wrong, which means another version of the package */
export function editGlue(source: string): string {
  let text = source;
  for (const { from, to, times = 1 } of EDITS) {
    const parts = text.split(from);
    if (parts.length !== times + 1)
      throw new Error(`${parts.length - 1} instead of ${times} occurrences in the glue: ${from}`);
    text = parts.join(to);
  }
  return text;
}
