// Defines the source of fonts and CMaps that a host offers. Knows nothing about paths.

/** Reads synchronously, because engines ask for fonts while they draw. */
export interface FontProvider {
  /**
   * Returns the bytes of an OpenType file or collection, or undefined if there is none.
   * @param name of a face, as its file is called, for example `LiberationSans-Bold`
   */
  face(name: string): Uint8Array | undefined;
  /**
   * Returns the PostScript of a CMap, or undefined if there is none.
   * @param name of a predefined CMap (ISO 32000-1, table 118), or of one that gives Unicode values, for example
   * `Adobe-Japan1-UCS2`
   */
  cmap(name: string): Uint8Array | undefined;
}
