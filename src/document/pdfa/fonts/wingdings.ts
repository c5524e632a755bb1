// Maps codes of Wingdings to Unicode characters, for frequently used symbols.

const SIGNS =
  '! 270f " 2702 # 2701 ( 260e ) 2706 * 2709 A 270c F 261e E 261c G 261d H 261f J 263a L 2639 N 2620 P 2690 Q 2708 R 263c ' +
  "S 1f4a7 T 2744 X 2720 Y 2721 Z 262a ^ 2648 _ 2649 ` 264a a 264b b 264c c 264d d 264e e 264f f 2650 g 2651 h 2652 i 2653 " +
  "j 0026 k 0026 l 25cf m 274d n 25a0 o 25a1 p 2751 q 2751 r 2752 s 2b27 t 29eb u 25c6 v 2756 w 2b25 x 2327 y 2353 z 2318 " +
  "{ 2740 | 273f } 275d ~ 275e";
const BY_CODE: readonly (readonly [number, number])[] = [
  [0x80, 0x24ea],
  [0x8b, 0x24ff],
  [0x9e, 0x00b7],
  [0x9f, 0x2022],
  [0xa0, 0x25aa],
  [0xa1, 0x25cb],
  [0xa4, 0x25c9],
  [0xa5, 0x25ce],
  [0xa7, 0x25aa],
  [0xa8, 0x25fb],
  [0xab, 0x2605],
  [0xac, 0x2736],
  [0xd5, 0x232b],
  [0xd6, 0x2326],
  [0xd8, 0x27a2],
  [0xdc, 0x27b2],
  [0xdf, 0x2190],
  [0xe0, 0x2192],
  [0xe1, 0x2191],
  [0xe2, 0x2193],
  [0xe3, 0x2196],
  [0xe4, 0x2197],
  [0xe5, 0x2199],
  [0xe6, 0x2198],
  [0xe8, 0x2794],
  [0xef, 0x21e6],
  [0xf0, 0x21e8],
  [0xf1, 0x21e7],
  [0xf2, 0x21e9],
  [0xf3, 0x2b04],
  [0xf4, 0x21f3],
  [0xfb, 0x2717],
  [0xfc, 0x2713],
  [0xfd, 0x2612],
  [0xfe, 0x2611],
];

const signs = new Map<number, string>(BY_CODE.map(([code, character]) => [code, String.fromCodePoint(character)]));
const words = SIGNS.split(" ");
for (let at = 0; at + 1 < words.length; at += 2) {
  signs.set(words[at]!.charCodeAt(0), String.fromCodePoint(Number.parseInt(words[at + 1]!, 16)));
}
for (let digit = 0; digit < 10; digit++) {
  // Digits in circles, outlined and filled.
  signs.set(0x81 + digit, String.fromCodePoint(0x2460 + digit));
  signs.set(0x8c + digit, String.fromCodePoint(0x2776 + digit));
}
signs.set(0x20, " ");

/** @returns undefined for a code whose symbol is not in Unicode or not in this table */
export const wingdingsSign = (code: number): string | undefined => signs.get(code);
