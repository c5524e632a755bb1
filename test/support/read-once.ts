/**
 * Returns a function that reads a document only once with the same options, for tests that compare many results with
 * one original. The caller must not change the bytes.
 */
export function readOnce<Options extends unknown[], T>(
  read: (pdf: Uint8Array, ...options: Options) => T,
): (pdf: Uint8Array, ...options: Options) => T {
  const known = new WeakMap<Uint8Array, Map<string, T>>();
  return (pdf, ...options) => {
    const ofDocument = known.get(pdf) ?? new Map<string, T>();
    known.set(pdf, ofDocument);
    const key = JSON.stringify(options);
    if (!ofDocument.has(key)) ofDocument.set(key, read(pdf, ...options));
    return ofDocument.get(key)!;
  };
}
