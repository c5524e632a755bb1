// Divides a page into blocks in reading order.
import type { Block, PageLayout } from "./blocks.ts";
import type { PageText } from "./page-text.ts";
import { paragraphsOf, pitchesOf, type Row, rowOf } from "./paragraphs.ts";
import { type Atom, readingOrder } from "./reading-order.ts";
import { joinPieces, rowsOf } from "./rows.ts";
import { boxInFrame, type Extent, type Frame, framesOf, type Segment } from "./segments.ts";

/** Maximum height of a rule, and minimum length, in points. */
const RULE_HEIGHT = 3;
const RULE_LENGTH = 24;

type PageAtom = Atom & { readonly segment: Segment };

/** Returns the blocks of a page. Text in other directions than most follows the rest. */
export function layoutOf(page: PageText): PageLayout {
  const { number, width, height } = page;
  const blocks = framesOf(page.lines).flatMap((frame) => blocksOf(frame, page));
  return { number, width, height, blocks };
}

function blocksOf({ segments, direction }: Frame, page: PageText): readonly Block[] {
  const pieces = joinPieces(segments, direction);
  const shapes = page.shapes.map((shape) => ({ ...shape, ...boxInFrame(shape.box, direction) }));
  const rules = shapes.filter(
    (one) => one.kind === "path" && one.bottom - one.top < RULE_HEIGHT && one.right - one.left > RULE_LENGTH,
  );
  const atoms = pieces.map((segment): PageAtom => {
    const { left, top, right, bottom, size, words } = segment;
    return {
      left,
      top,
      right,
      bottom,
      size,
      segment,
      characters: words.reduce((sum, { text }) => sum + text.length, 0),
    };
  });
  const isRightToLeft = pieces.filter((one) => one.isRightToLeft).length * 2 > pieces.length;
  const groups = readingOrder(atoms, { isRightToLeft, rules });
  const columns = groups.map((group) => rowsIn(group, shapes.filter(isDot)));
  const pitchOf = pitchesOf(columns);
  return columns.flatMap((rows) => paragraphsOf(rows, pitchOf, page, direction));
}

function rowsIn(group: readonly PageAtom[], dots: readonly Extent[]): readonly Row[] {
  return rowsOf(group.map(({ segment }) => segment)).map((row) => rowOf(row, bulletOf(row, dots)));
}

const isDot = ({ left, top, right, bottom }: Extent): boolean => {
  const [width, height] = [right - left, bottom - top];
  return width > 1.5 && width < 9 && Math.abs(width - height) < 0.25 * width;
};

/** Returns the marker that a dot before a row stands for. */
function bulletOf(row: readonly Segment[], dots: readonly Extent[]): string | undefined {
  const { left, baseline, size } = row[0]!;
  const isBefore = (dot: Extent) => {
    const middle = (dot.top + dot.bottom) / 2;
    const distance = (left - dot.right) / size;
    return (
      distance > 0.1 &&
      distance < 1.6 &&
      middle > baseline - 0.7 * size &&
      middle < baseline &&
      dot.right - dot.left < 0.6 * size
    );
  };
  return dots.some(isBefore) ? "•" : undefined;
}
