// Draws the contents of text fields and choice fields (ISO 32000-1, 12.7.4.3 and 12.7.4.4).
import type { DefaultAppearance } from "./default-appearance.ts";
import type { Frame } from "./frame.ts";
import { numbers, rectangle, setColor } from "./syntax.ts";
import {
  baselineAt,
  type FieldText,
  heightOf,
  type Line,
  paragraphsOf,
  sizeOfLine,
  sizeOfParagraphs,
} from "./text/field-text.ts";
import type { Widget } from "./widget.ts";

/** Parameters for drawing the text of one widget. */
export interface TextTask {
  readonly widget: Widget;
  readonly frame: Frame;
  readonly text: FieldText;
  readonly style: DefaultAppearance;
}

/** Minimum distance of text from the border. */
const MIN_PADDING = 1;
const LIST_SIZE = 12;
/** Background color of a selected option with black text, as in Acrobat. */
const SELECTED = [0.6, 0.7569, 0.8549];
const BULLET = "\u2022";

export function drawText(task: TextTask): string {
  const { widget } = task;
  const value = widget.value();
  const most = widget.file.number(widget.inherited("MaxLen"));
  const limited = most !== undefined && most > 0 ? [...value].slice(0, most).join("") : value;
  const isComb = widget.has("comb") && !widget.has("multiline") && !widget.has("password") && (most ?? 0) > 0;
  if (isComb) return drawComb(task, limited, most!);
  if (widget.has("password")) return drawLine(task, [...limited].map(() => BULLET).join(""));
  return widget.has("multiline") ? drawParagraphs(task, limited) : drawLine(task, paragraphsOf(limited).join(" "));
}

/** Draws the selected option of a combo box, or a list box with its selection. */
export function drawChoice(task: TextTask): string {
  return task.widget.has("combo") ? drawLine(task, shownChoice(task.widget)) : drawList(task);
}

/** Returns the text that the field displays for its value. The value need not be one of the options. */
function shownChoice(widget: Widget): string {
  const options = widget.options();
  const [value] = widget.values();
  if (value !== undefined) return options.find(({ exported }) => exported === value)?.shown ?? value;
  return options[selectedIndexes(widget)[0] ?? -1]?.shown ?? "";
}

const selectedIndexes = ({ file, dictionary }: Widget): number[] =>
  (file.array(dictionary.get("I")) ?? []).flatMap((index) => file.number(index) ?? []);

function drawLine(task: TextTask, text: string): string {
  const line = task.text.line(text);
  const area = areaOf(task);
  const size = task.style.size || sizeOfLine(line, area);
  const x = alignedAt(task, line.width * size);
  return showText(task, line.show(size, x, baselineAt(task.frame.height / 2, line, size)));
}

function drawParagraphs(task: TextTask, text: string): string {
  const area = areaOf(task);
  const size = task.style.size || sizeOfParagraphs(task.text, text, area);
  let top = task.frame.height - paddingOf(task);
  const operators = task.text.wrap(text, size, area).map((line) => {
    const shown = line.show(size, alignedAt(task, line.width * size), top - line.ascent * size);
    top -= heightOf(line) * size;
    return shown;
  });
  return showText(task, operators.join(""));
}

/** Draws characters centered in equal cells, with lines between the cells if the widget has a border. */
function drawComb(task: TextTask, text: string, cells: number): string {
  const { frame, style } = task;
  const cell = frame.width / cells;
  const lines = task.text.cells(text);
  const highest = (key: "width" | "ascent" | "descent") => Math.max(0, ...lines.map((line) => line[key]));
  const largest = { width: highest("width"), ascent: highest("ascent"), descent: highest("descent") };
  const { height } = areaOf(task);
  const size = style.size || sizeOfLine(largest, { width: cell, height });
  const free = cells - lines.length;
  const first = [0, Math.floor(free / 2), free][quaddingOf(task)] ?? 0;
  const operators = lines.map((line, index) => {
    const x = (first + index + 0.5) * cell - (line.width * size) / 2;
    return line.show(size, x, baselineAt(frame.height / 2, { ...line, ...largest }, size));
  });
  return `${combLines(task, cells, cell)}${showText(task, operators.join(""))}`;
}

const MAX_CELLS = 1000;

function combLines({ widget, frame }: TextTask, cells: number, cell: number): string {
  const color = widget.color("BC");
  const { width, style } = frame.border;
  if (!color || width <= 0 || cells > MAX_CELLS || !["S", "D"].includes(style)) return "";
  const lines = Array.from(
    { length: cells - 1 },
    (_, index) => `${numbers((index + 1) * cell, 0)} m ${numbers((index + 1) * cell, frame.height)} l S\n`,
  );
  return `q\n${setColor(color, "stroke")}${numbers(width)} w\n${lines.join("")}Q\n`;
}

function drawList(task: TextTask): string {
  const { widget, frame, style } = task;
  const options = widget.options();
  const values = new Set(widget.values());
  const indexes = new Set(selectedIndexes(widget));
  // The indexes of selected options (I) distinguish options with equal values. They are ignored if they contradict the
  // value.
  const isAgreed = [...indexes].every((index) => values.size === 0 || values.has(options[index]?.exported ?? ""));
  const isSelected = (index: number) =>
    indexes.size > 0 && isAgreed ? indexes.has(index) : values.has(options[index]!.exported);
  const size = style.size || LIST_SIZE;
  const { inset } = frame;
  let [bars, selected, text] = ["", "", ""];
  let top = frame.height - inset;
  const first = Math.max(0, Math.trunc(widget.file.number(widget.inherited("TI")) ?? 0));
  for (let index = first; index < options.length && top > inset; index++) {
    const line: Line = task.text.line(paragraphsOf(options[index]!.shown).join(" "));
    const height = heightOf(line) * size;
    const shownLine = line.show(size, alignedAt(task, line.width * size), top - line.ascent * size);
    if (isSelected(index)) {
      bars += rectangle(inset, top - height, frame.width - 2 * inset, height);
      selected += shownLine;
    } else text += shownLine;
    top -= height;
  }
  const beneath = bars === "" ? "" : `${setColor(SELECTED, "fill")}${bars}f\nBT\n0 g\n${selected}ET\n`;
  return showText(task, text, beneath);
}

/**
 * Returns text, clipped to the widget, as the marked content that a viewer replaces when the value changes (12.7.3.3).
 */
function showText({ frame, style }: TextTask, text: string, beneath = ""): string {
  const { inset, width, height } = frame;
  const clip = `${rectangle(inset, inset, width - 2 * inset, height - 2 * inset)}W n\n`;
  const operators = text === "" ? "" : `BT\n${style.color}\n${text}ET\n`;
  return `/Tx BMC\nq\n${clip}${beneath}${operators}Q\nEMC\n`;
}

const paddingOf = ({ frame }: TextTask): number => frame.inset + Math.max(MIN_PADDING, frame.border.width);

function areaOf(task: TextTask): { width: number; height: number } {
  const { width, height, inset } = task.frame;
  const padding = paddingOf(task);
  return { width: Math.max(0, width - 2 * padding), height: Math.max(0, height - 2 * inset) };
}

const quaddingOf = ({ widget }: TextTask): number => widget.file.number(widget.ofText("Q")) ?? 0;

/** Returns the x coordinate where a line of this width starts. */
function alignedAt(task: TextTask, width: number): number {
  const padding = paddingOf(task);
  const free = task.frame.width - 2 * padding - width;
  const share = [0, 0.5, 1][quaddingOf(task)] ?? 0;
  // If a text is too long, its start stays visible.
  return padding + Math.max(0, free) * share;
}
