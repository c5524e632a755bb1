// Reads the default appearance string (DA) of variable text (ISO 32000-1, 12.7.3.3): font, size and color.
import { Lexer } from "../objects/parsing/lexer.ts";

export interface DefaultAppearance {
  readonly font: string;
  /** Font size; 0 for automatic size. */
  readonly size: number;
  /** The operator that sets the text color, with its operands. */
  readonly color: string;
}

const COLOR_OPERANDS: Readonly<Record<string, number>> = { g: 1, rg: 3, k: 4 };
const MAX_SIZE = 1000;

export function readDefaultAppearance(latin1: string): DefaultAppearance {
  const lexer = new Lexer(new Uint8Array(Buffer.from(latin1, "latin1")));
  let [font, size, color] = ["Helv", 0, "0 g"];
  let operands: string[] = [];
  const number = (text: string | undefined) => Number.parseFloat(text ?? "") || 0;
  while (lexer.next() !== "end") {
    const token = latin1.slice(lexer.start, lexer.end);
    if (lexer.kind !== "keyword") {
      operands.push(token);
      continue;
    }
    const count = COLOR_OPERANDS[token];
    if (token === "Tf" && operands.length >= 2) {
      font = nameOf(operands.at(-2)!) || font;
      size = Math.min(Math.abs(number(operands.at(-1))), MAX_SIZE);
    } else if (count !== undefined && operands.length >= count) {
      color = [...operands.slice(-count).map(number), token].join(" ");
    }
    operands = [];
  }
  return { font, size, color };
}

const nameOf = (token: string) =>
  token.replace(/^\//, "").replace(/#([\da-f]{2})/gi, (_, digits) => String.fromCharCode(Number.parseInt(digits, 16)));
