// Creates the normal appearance of a form field from its value, as viewers do (ISO 32000-1, 12.7.3.3). The caller
// chooses the fields and stores the appearances.
import type { PdfFile } from "../objects/pdf-file.ts";
import { Dictionary, Name, PdfStream, plainBody, type Reference, type Value } from "../objects/values.ts";
import { captionOf, drawFace, drawMark, ICON, Icon } from "./button-look.ts";
import { readDefaultAppearance } from "./default-appearance.ts";
import { type AddObject, FieldFonts } from "./field-fonts.ts";
import { drawFrame, type Frame, frameOf } from "./frame.ts";
import type { FieldText } from "./text/field-text.ts";
import { FormFontText } from "./text/form-font-text.ts";
import type { SetFieldTexts, UnsetTexts } from "./text/set-field-texts.ts";
import { drawChoice, drawText, type TextTask } from "./text-look.ts";
import { Widget } from "./widget.ts";

/**
 * Field types whose appearance viewers regenerate if NeedAppearances is set (12.7.2): text and choice fields. The
 * appearances of other fields do not depend on text.
 */
export const RENEWED: ReadonlySet<string> = new Set(["Tx", "Ch"]);
/** Cost of reading an option, in characters: it counts against the limit of characters per page. */
const OPTION_COST = 4;
const OFF = "Off";
const DEFAULT_STATE = "Yes";

export interface FieldAppearance {
  /** A stream; for check boxes and radio buttons, a dictionary of states. */
  readonly normal: Value;
  /** The current appearance state; undefined if there is only one appearance. */
  readonly state: string | undefined;
  /** False if the text has characters that no font contains. */
  readonly isComplete: boolean;
  /** The texts of the field, if one of them needs more than the font of the field. */
  readonly unset?: UnsetTexts;
}

/** Returns the widget with the appearance. */
export const withAppearance = (widget: Dictionary, { normal, state }: FieldAppearance): Dictionary => {
  const dressed = widget.clone().set("AP", Dictionary.of({ N: normal }));
  return state === undefined ? dressed : dressed.set("AS", Name.of(state));
};

/** Creates appearances for the fields of one document. */
export class FieldAppearances {
  readonly #file: PdfFile;
  readonly #form: Dictionary | undefined;
  readonly #add: AddObject;
  readonly #fonts: FieldFonts;

  /** @param add adds an object to the document, or to a copy with the same object numbers; @default adds to `file` */
  constructor(file: PdfFile, add: AddObject = (object) => file.add(object)) {
    this.#file = file;
    this.#form = file.dictionary(file.catalog.get("AcroForm"));
    this.#add = add;
    this.#fonts = new FieldFonts(file, this.#form, add);
  }

  /** Must be called before the fields of each page: it resets the limit of characters per page. */
  beginPage(): void {
    this.#fonts.beginPage();
  }

  /**
   * @param set the texts of the field, if they need more than the font of the field
   * @returns undefined for a widget without a type or an area, which viewers do not show
   */
  make(dictionary: Dictionary, set?: SetFieldTexts): FieldAppearance | undefined {
    const widget = new Widget(this.#file, this.#form, dictionary);
    const frame = frameOf(widget);
    if (!(frame.width > 0 && frame.height > 0)) return undefined;
    const style = readDefaultAppearance(this.#file.string(widget.ofText("DA"))?.latin1 ?? "");
    this.#fonts.spend((widget.file.array(widget.inherited("Opt"))?.length ?? 0) * OPTION_COST);
    const fontName = this.#fonts.baseFontOf(style.font);
    if (set) return this.#draw({ widget, frame, style, text: set.of(fontName) });
    const text = new FormFontText(this.#fonts.of(style.font));
    const made = this.#draw({ widget, frame, style, text });
    const { unset } = text;
    return made && unset.length > 0 ? { ...made, unset: { fontName, texts: unset } } : made;
  }

  #draw(task: TextTask): FieldAppearance | undefined {
    const { widget } = task;
    switch (widget.type) {
      case "Tx":
        return this.#single(task, drawText(task));
      case "Ch":
        return this.#single(task, drawChoice(task));
      case "Sig":
        return this.#single(task, "");
      case "Btn":
        return widget.has("push") ? this.#push(task) : this.#states(task);
      default:
        return undefined;
    }
  }

  #single({ widget, frame, text }: TextTask, drawn: string, icon?: Value): FieldAppearance {
    const normal = this.#stream(frame, `${drawFrame(widget, frame)}${drawn}`, text, icon);
    return { normal, state: undefined, isComplete: text.isComplete };
  }

  #push(task: TextTask): FieldAppearance {
    const icon = Icon.of(task.widget);
    return this.#single(task, drawFace(task, icon), icon?.form);
  }

  #states(task: TextTask): FieldAppearance {
    const { widget, frame } = task;
    const isRound = widget.has("radio") && (captionOf(widget) || "l") === "l";
    const background = drawFrame(widget, frame, isRound);
    const state = this.#file.name(widget.dictionary.get("AS")) ?? this.#ownState(widget);
    const on = state === OFF ? DEFAULT_STATE : state;
    const states = Dictionary.of({
      [on]: this.#stream(frame, `${background}${drawMark(task)}`, task.text),
      [OFF]: this.#stream(frame, background, task.text),
    });
    return { normal: states, state, isComplete: task.text.isComplete };
  }

  /**
   * Returns the appearance state of a field that is merged with its only widget. The state equals the field's value.
   */
  #ownState({ dictionary }: Widget): string {
    return this.#file.name(dictionary.get("V")) ?? OFF;
  }

  #stream({ width, height, matrix }: Frame, content: string, text: FieldText, icon?: Value): Reference {
    const fonts = text.resources();
    const dictionary = Dictionary.of({
      Type: Name.of("XObject"),
      Subtype: Name.of("Form"),
      BBox: [0, 0, width, height],
      Matrix: matrix && [...matrix],
      Resources: Dictionary.of({
        Font: fonts.size > 0 ? fonts : undefined,
        XObject: icon === undefined ? undefined : Dictionary.of({ [ICON]: icon }),
      }),
    });
    return this.#add(new PdfStream(dictionary, plainBody(new Uint8Array(Buffer.from(content, "latin1")))));
  }
}
