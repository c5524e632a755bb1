// Draws the contents of buttons: marks of check boxes and radio buttons, captions and icons of push buttons (ISO
// 32000-1, 12.7.4.2 and table 189).
import { readBox } from "../content/boxes.ts";
import type { PdfFile } from "../objects/pdf-file.ts";
import { Dictionary, type Value } from "../objects/values.ts";
import { MARKS } from "./button-marks.ts";
import type { Frame } from "./frame.ts";
import { numbers, rectangle } from "./syntax.ts";
import { baselineAt, heightOf, sizeOfLine } from "./text/field-text.ts";
import type { TextTask } from "./text-look.ts";
import type { Widget } from "./widget.ts";

/** Height of a mark with automatic size, relative to the height inside border and padding. */
const MARK_PART = 0.72;
/** Diameter of the dot of a radio button, relative to the height inside the border. */
const DOT_PART = 0.5;
const MAX_CAPTION_SIZE = 12;
/** Resource name of the icon. */
export const ICON = "Icon";

/** Height of the marks at font size 1. */
const MARK_SIZE = 0.72;

export const captionOf = (widget: Widget): string | undefined => widget.text(widget.look.get("CA"));

/** Draws the mark of a check box or radio button that is on. */
export function drawMark(task: TextTask): string {
  const { frame, style, widget } = task;
  const caption = captionOf(widget) || (widget.has("radio") ? "l" : "4");
  const within = Math.max(0, Math.min(frame.width, frame.height) - 2 * frame.inset);
  const free = Math.max(0, within - 2 * frame.border.width);
  const [x, y] = [frame.width / 2, frame.height / 2];
  const mark = MARKS[caption];
  if (mark === undefined) return drawCaption(task, caption);
  const isDot = widget.has("radio") && caption === "l";
  const high = style.size > 0 ? style.size * MARK_SIZE : isDot ? within * DOT_PART : free * MARK_PART;
  return `q\n${style.color}\n${numbers(high, 0, 0, high, x, y)} cm\n${mark}f\nQ\n`;
}

/** Draws the caption and the icon of a push button. */
export function drawFace(task: TextTask, icon: Icon | undefined): string {
  const { widget, frame } = task;
  const position = icon ? (widget.file.number(widget.look.get("TP")) ?? 0) : 0;
  const caption = position === 1 ? "" : (captionOf(widget) ?? "");
  if (!icon || position === 0) return drawCaption(task, caption);
  const inner = {
    x: frame.inset,
    y: frame.inset,
    width: inside(frame.width, frame),
    height: inside(frame.height, frame),
  };
  const size = captionSize(task, caption);
  const words = task.text.line(caption);
  const line = caption === "" ? 0 : size * heightOf(words);
  const across = words.width * size;
  const [half, quarter] = [frame.height / 2, frame.width / 2];
  switch (position) {
    case 2:
      return `${icon.draw({ ...inner, y: inner.y + line, height: inner.height - line })}${drawCaption(task, caption, quarter, inner.y + line / 2)}`;
    case 3:
      return `${icon.draw({ ...inner, height: inner.height - line })}${drawCaption(task, caption, quarter, inner.y + inner.height - line / 2)}`;
    case 4:
      return `${icon.draw({ ...inner, width: inner.width - across })}${drawCaption(task, caption, inner.x + inner.width - across / 2, half)}`;
    case 5:
      return `${icon.draw({ ...inner, x: inner.x + across, width: inner.width - across })}${drawCaption(task, caption, inner.x + across / 2, half)}`;
    default:
      return `${icon.draw(inner)}${drawCaption(task, caption)}`;
  }
}

const inside = (side: number, { inset }: Frame): number => Math.max(0, side - 2 * inset);

function captionSize({ style, frame, text }: TextTask, caption: string): number {
  if (style.size > 0) return style.size;
  const area = { width: inside(frame.width, frame), height: inside(frame.height, frame) };
  return Math.min(MAX_CAPTION_SIZE, sizeOfLine(text.line(caption), area));
}

/** @param x, y the center of the caption; @default the center of the button */
function drawCaption(task: TextTask, caption: string, x = task.frame.width / 2, y = task.frame.height / 2): string {
  const line = task.text.line(caption);
  const size = captionSize(task, caption);
  const text = line.show(size, x - (line.width * size) / 2, baselineAt(y, line, size));
  return text === "" ? "" : `q\nBT\n${task.style.color}\n${text}ET\nQ\n`;
}

interface Place {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** The icon of a push button: a form XObject, scaled and positioned as the icon fit dictionary defines (table 247). */
export class Icon {
  readonly form: Value;
  readonly #box: readonly [number, number, number, number];
  readonly #fit: Dictionary;
  readonly #file: PdfFile;

  private constructor(file: PdfFile, form: Value, box: readonly [number, number, number, number], fit: Dictionary) {
    this.#file = file;
    this.form = form;
    this.#box = box;
    this.#fit = fit;
  }

  /** @returns undefined if the widget has no drawable icon */
  static of({ file, look }: Widget): Icon | undefined {
    const form = look.get("I");
    const stream = file.stream(form);
    const matrix = file.array(stream?.dictionary.get("Matrix"));
    const box = readBox(file, stream?.dictionary.get("BBox"));
    if (form === undefined || matrix || !box || box[0] === box[2] || box[1] === box[3]) return undefined;
    return new Icon(file, form, box, file.dictionary(look.get("IF")) ?? new Dictionary());
  }

  draw({ x, y, width, height }: Place): string {
    const [left, bottom, right, top] = this.#box;
    let [across, up] = [width / (right - left), height / (top - bottom)];
    if (this.#file.name(this.#fit.get("S")) !== "A") across = up = Math.min(across, up);
    const when = this.#file.name(this.#fit.get("SW")) ?? "A";
    const isScaled =
      when === "A" || (when === "B" && Math.min(across, up) < 1) || (when === "S" && Math.min(across, up) > 1);
    if (!isScaled) across = up = 1;
    if (!(across > 0 && up > 0)) return "";
    const [shareX = 0.5, shareY = 0.5] = (this.#file.array(this.#fit.get("A")) ?? []).map(
      (share) => this.#file.number(share) ?? 0.5,
    );
    const moveX = x + (width - across * (right - left)) * shareX - left * across;
    const moveY = y + (height - up * (top - bottom)) * shareY - bottom * up;
    return `q\n${rectangle(x, y, width, height)}W n\n${numbers(across, 0, 0, up, moveX, moveY)} cm\n/${ICON} Do\nQ\n`;
  }
}
