// Recognizes the text of a page whose orientation is unknown: reads it as it is, on its side or as vertical text, until
// the engine is confident of what it read.

import { confidenceOf, type RecognizedLine, readRecognized } from "../../../src/document/recognition/hocr.ts";
import type { RecognitionLanguage } from "../../../src/operations/recognize-text.ts";
import { mayBeVertical, type Picture, type Tesseract } from "./tesseract.ts";

/** A picture of a page, and the place of the page on it. */
export interface TurnedPicture<Place> extends Picture {
  readonly place: Place;
  readonly isSideways: boolean;
  /** True if the picture is only read as it is. */
  readonly isUpright: boolean;
}

export interface PageText<Place> {
  readonly lines: readonly RecognizedLine[];
  readonly place: Place;
}

/** Mean confidence of readable text, in percent. Text that is upside down or on its side has less. */
const CONFIDENT = 65;

interface Reading<Place> extends PageText<Place> {
  readonly confidence: number;
}

/**
 * @param redraw returns the picture of the page after a clockwise turn, in degrees
 * @throws EngineFailure the failure of the engine; the signal's reason when aborted
 */
export async function recognizePage<Place>(
  tesseract: Tesseract,
  upright: TurnedPicture<Place>,
  languages: readonly RecognitionLanguage[],
  redraw: (turn: number) => Promise<TurnedPicture<Place> | undefined>,
  signal: AbortSignal,
): Promise<PageText<Place>> {
  const read = async (picture: TurnedPicture<Place> | undefined, isVertical: boolean) => {
    if (!picture) return undefined;
    const lines = readRecognized(await tesseract.recognize(picture, languages, { signal, isVertical }), isVertical);
    return { lines, place: picture.place, confidence: confidenceOf(lines) };
  };
  const asIs = () => read(upright, false);
  const vertical = async () => (mayBeVertical(languages) ? read(upright, true) : undefined);
  const turned = async () => {
    const turn = await tesseract.uprightTurn(upright, signal);
    return turn === 0 ? undefined : read(await redraw(turn), false);
  };
  const everyWay = upright.isSideways ? [vertical, turned, asIs] : [asIs, turned, vertical];
  const ways = upright.isUpright ? [asIs] : everyWay;
  let best: Reading<Place> | undefined;
  for (const way of ways) {
    const reading = await way();
    if (reading && reading.confidence > (best?.confidence ?? -1)) best = reading;
    if (best && best.confidence >= CONFIDENT) break;
  }
  return best ?? { lines: [], place: upright.place };
}
