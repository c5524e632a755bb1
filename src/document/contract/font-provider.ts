// Interface of the host's fonts and CMaps, independent of their location.

/** Synchronous, because engines request fonts during drawing. */
export interface FontProvider {
  /**
   * Returns an OpenType file or collection; undefined if there is none.
   * @param name file name of the face without extension, for example `LiberationSans-Bold`
   */
  face(name: string): Uint8Array | undefined;
  /**
   * Returns the PostScript source of a CMap; undefined if there is none.
   * @param name a predefined CMap (ISO 32000-1, table 118), or a mapping to Unicode, for example `Adobe-Japan1-UCS2`
   */
  cmap(name: string): Uint8Array | undefined;
}
