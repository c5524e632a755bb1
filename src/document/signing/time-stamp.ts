// Reads time stamps (RFC 3161).
import { elementsIn, firstElement, InvalidAsn1, octetsOf, readAlgorithm, timeOf } from "./der.ts";

export interface TimeStamp {
  readonly algorithm: string;
  readonly digest: Uint8Array;
  /** In the format of ISO 8601. */
  readonly time: string | undefined;
}

/** Reads the content of a time stamp. @throws InvalidAsn1 */
export function timeStampIn(content: Uint8Array): TimeStamp {
  const [, , imprint, , time] = elementsIn(firstElement(content).content);
  const [algorithm, digest] = imprint ? elementsIn(imprint.content) : [];
  if (!algorithm || !digest || !time) throw new InvalidAsn1();
  return { ...{ algorithm: readAlgorithm(algorithm).identifier, digest: octetsOf(digest) }, time: timeOf(time) };
}
