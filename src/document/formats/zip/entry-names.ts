// Decodes the names in a zip archive. Archives without a declaration are in the encoding of the machine that made them
// (APPNOTE.TXT, appendix D).

export interface RawName {
  readonly bytes: Buffer;
  readonly isUtf8: boolean;
  /** The name in UTF-8, if the archive has it in addition. */
  readonly unicode: Buffer | undefined;
}

/** The characters of code page 437 from 0x80 on. */
const CP437 =
  "ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜ¢£¥₧ƒáíóúñÑªº¿⌐¬½¼¡«»░▒▓│┤╡╢╖╕╣║╗╝╜╛┐└┴┬├─┼╞╟╚╔╩╦╠═╬╧╨╤╥╙╘╒╓╫╪┘┌█▄▌▐▀" +
  "αßΓπΣσµτΦΘΩδ∞φε∩≡±≥≤⌠⌡÷≈°∙·√ⁿ²■\u00a0";
/** Names in Japanese have such pairs. Names in other languages, read as Japanese, nearly never have them. */
const JAPANESE = /[\u3040-\u30ff\u3400-\u9fff]{2}/;

/** Returns the names. All names without a declaration have the same encoding. */
export function decodeNames(names: readonly RawName[]): string[] {
  const undeclared = names.filter(({ isUtf8, unicode }) => !isUtf8 && !unicode).map(({ bytes }) => bytes);
  const decode = decoderFor(undeclared);
  const utf8 = new TextDecoder();
  return names.map(({ bytes, isUtf8, unicode }) =>
    (unicode ?? isUtf8) ? utf8.decode(unicode ?? bytes) : decode(bytes),
  );
}

function decoderFor(names: readonly Buffer[]): (bytes: Buffer) => string {
  const utf8 = strictly("utf-8", names);
  if (utf8) return utf8;
  const japanese = strictly("shift_jis", names);
  return japanese && names.some((name) => JAPANESE.test(japanese(name))) ? japanese : fromCp437;
}

/** Returns a decoder if all names are valid in the encoding. */
function strictly(encoding: string, names: readonly Buffer[]): ((bytes: Buffer) => string) | undefined {
  const decoder = new TextDecoder(encoding, { fatal: true });
  const decode = (bytes: Buffer) => decoder.decode(bytes);
  try {
    for (const name of names) decode(name);
    return decode;
  } catch {
    return undefined;
  }
}

const fromCp437 = (bytes: Buffer): string =>
  Array.from(bytes, (code) => (code < 0x80 ? String.fromCharCode(code) : CP437[code - 0x80]!)).join("");
