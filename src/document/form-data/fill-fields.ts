// Sets the values of form fields (ISO 32000-1, 12.7.4), and makes their appearances, so that a viewer has nothing to do.
import type { TypefaceProvider } from "../contract/font-provider.ts";
import { countedNotices, type Notice, namedNotices } from "../contract/notice.ts";
import { RENEWED, withAppearance } from "../forms/field-appearance.ts";
import { FieldDrawer, type Put } from "../forms/field-drawer.ts";
import { type Option, readText, withoutMarkup } from "../forms/widget.ts";
import { encodeTextString } from "../objects/text-strings.ts";
import { type Dictionary, Name, Reference, type Value } from "../objects/values.ts";
import type { OpenPdf } from "../pages/open-pdf.ts";
import { putForm } from "../pages/parts/forms/put-form.ts";
import type { SourceDocument } from "../pages/source-document.ts";
import { type FieldValue, listOf } from "./field-value.ts";
import { type Form, type FormField, OFF, onStates, widgetOf } from "./form-fields.ts";

export class FormFiller {
  readonly #source: SourceDocument;
  readonly #form: Form;
  /** Object numbers of the widgets whose field has a new value. */
  readonly #changed = new Set<number>();
  readonly #unknown: string[] = [];
  /** Names of choice fields and buttons with values that they do not offer. */
  readonly #notOffered: string[] = [];
  /** Number of fields with characters that no font contains. */
  #incomplete = 0;
  /** True if a field needs fonts that are not available here, but perhaps to viewers. */
  #isLeftToViewers = false;

  constructor(source: SourceDocument, form: Form) {
    this.#source = source;
    this.#form = form;
  }

  /** @returns the number of values that have a field */
  set(values: readonly FieldValue[]): number {
    const byName = Map.groupBy(this.#form.fields, ({ name }) => name);
    let count = 0;
    for (const value of values) {
      const fields = byName.get(value.name) ?? [];
      if (fields.length === 0) this.#unknown.push(value.name);
      else count++;
      const areSet = fields.map((field) => this.#setField(field, value));
      if (!areSet.includes(true) && fields.length > 0) this.#notOffered.push(value.name);
      // Buttons of one name are a group, in which one is on.
      else for (const [at, field] of fields.entries()) if (!areSet[at]) this.#setField(field, { ...value, value: OFF });
    }
    return count;
  }

  /**
   * Makes the appearances of the changed fields. If the form leaves appearances to the viewer (NeedAppearances), makes
   * those of all fields, and changes that.
   */
  async draw(pdf: OpenPdf, typefaces: TypefaceProvider | undefined, signal: AbortSignal): Promise<void> {
    const { file, dictionary } = this.#form;
    const areAllRenewed = file.boolean(dictionary.get("NeedAppearances")) === true;
    const putOf = (widget: Dictionary, value: Value): Put | undefined => {
      if (!(value instanceof Reference) || !(areAllRenewed || this.#changed.has(value.number))) return undefined;
      const isBare = file.dictionary(file.dictionary(widget.get("AP"))?.get("N")) === undefined;
      if (!isBare && !RENEWED.has(widgetOf(this.#form, value).type ?? "")) return undefined;
      return (made) => {
        if (!made) return;
        if (!made.isComplete) this.#incomplete++;
        if (!made.isComplete && made.unset) this.#isLeftToViewers = true;
        file.put(value, withAppearance(file.dictionary(value)!, made));
      };
    };
    await new FieldDrawer(file, { pdf, typefaces }).drawPages(this.#source.pages, putOf, signal);
    if (areAllRenewed || this.#isLeftToViewers) this.#needAppearances(this.#isLeftToViewers);
  }

  notices(): readonly Notice[] {
    const { file, dictionary } = this.#form;
    const isCalculated = (file.array(dictionary.get("CO")) ?? []).length > 0;
    return [
      ...countedNotices("characters-missing", this.#incomplete),
      ...namedNotices(
        "values-without-field",
        this.#unknown.map((name) => ({ name })),
      ),
      ...namedNotices(
        "values-not-offered",
        this.#notOffered.map((name) => ({ name })),
      ),
      ...countedNotices("calculations-not-run", Number(isCalculated && this.#changed.size > 0)),
    ];
  }

  /** @returns false if the field does not offer the value */
  #setField(field: FormField, value: FieldValue): boolean {
    const isSet = this.#setters[field.kind](field, value);
    if (!isSet) return false;
    for (const widget of field.widgets) {
      this.#changed.add(widget.number);
      // Some writers store values in widgets, too.
      if (widget.number !== field.reference.number) this.#put(widget, { V: undefined, RV: undefined });
    }
    return true;
  }

  readonly #setters = {
    text: ({ reference }: FormField, { value, richText }: FieldValue): boolean => {
      const widget = widgetOf(this.#form, reference);
      const isRich = richText !== undefined && widget.has("richText");
      const text = value === undefined ? richText && withoutMarkup(richText) : listOf(value).join("\n");
      // Some formats have no rich text: the same characters do not change it.
      const isKept =
        richText === undefined && text !== undefined && text === readText(widget.file, widget.inherited("V"));
      this.#put(reference, {
        V: text === undefined ? undefined : encodeTextString(text),
        ...(isKept ? {} : { RV: isRich ? encodeTextString(richText) : undefined }),
      });
      return true;
    },

    choice: ({ reference }: FormField, { value }: FieldValue): boolean => {
      const widget = widgetOf(this.#form, reference);
      const options = widget.options();
      const wished = listOf(value).filter((text) => text !== "");
      const indexes = wished.map((text) => indexOf(options, text));
      const areOffered = indexes.every((index) => index >= 0);
      const mayBeOther = widget.has("combo") && widget.has("edit");
      if (!(areOffered || mayBeOther) || (wished.length > 1 && !widget.has("severalChoices"))) return false;
      const texts = wished.map((text, at) => encodeTextString(options[indexes[at]!]?.exported ?? text));
      const sorted = [...new Set(indexes)].sort((a, b) => a - b);
      this.#put(reference, {
        V: value === undefined ? undefined : texts.length > 1 ? texts : (texts[0] ?? encodeTextString("")),
        I: !widget.has("combo") && areOffered && sorted.length > 0 ? sorted : undefined,
        RV: undefined,
      });
      return true;
    },

    button: (field: FormField, { value }: FieldValue): boolean => {
      const { file } = this.#form;
      const states = field.widgets.map((widget) => onStates(file, file.dictionary(widget)!));
      const [wished = OFF] = listOf(value);
      const state = this.#stateOf(field, wished, states);
      if (state === undefined) return false;
      this.#put(field.reference, { V: Name.of(state) });
      for (const [index, reference] of field.widgets.entries()) {
        // The appearance of a button without states is made for its state.
        const isOn = states[index]!.includes(state) || states[index]!.length === 0;
        this.#put(reference, { AS: Name.of(isOn ? state : OFF) });
      }
      return true;
    },
  } as const;

  /** Returns the state for a value: a state, an export value (12.7.4.2.3), or `true` or `false` for a check box. */
  #stateOf(field: FormField, wished: string, states: readonly (readonly string[])[]): string | undefined {
    const known = states.flat();
    if (known.includes(wished)) return wished;
    if (["", "false", OFF].includes(wished)) return OFF;
    if (known.length === 0) return wished;
    const at = indexOf(widgetOf(this.#form, field.reference).options(), wished);
    return states[at]?.[0] ?? (wished === "true" && !this.#isRadio(field) ? known[0] : undefined);
  }

  #isRadio({ reference }: FormField): boolean {
    return widgetOf(this.#form, reference).has("radio");
  }

  /** Sets entries of a field, and removes those that are undefined. */
  #put(reference: Reference, entries: Readonly<Record<string, Value | undefined>>): void {
    const { file } = this.#form;
    const changed = file.dictionary(reference)!.clone();
    for (const [key, value] of Object.entries(entries)) {
      if (value === undefined) changed.delete(key);
      else changed.set(key, value);
    }
    file.put(reference, changed);
  }

  #needAppearances(isNeeded: boolean): void {
    const { file } = this.#form;
    const changed = file.dictionary(file.catalog.get("AcroForm"))?.clone();
    if (!changed) return;
    if (isNeeded) changed.set("NeedAppearances", true);
    else changed.delete("NeedAppearances");
    putForm(file, changed);
  }
}

function indexOf(options: readonly Option[], text: string): number {
  const index = options.findIndex(({ exported }) => exported === text);
  return index >= 0 ? index : options.findIndex(({ shown }) => shown === text);
}
