// Decides which optional content is visible when a viewer opens a document (ISO 32000-1, 8.11). Rendering, merging,
// compression and PDF/A all use this module. It accesses objects through a reader, because callers represent objects in
// different ways.

/** Reads the objects of a document in the caller's representation. References are resolved. */
export interface ObjectReader<T> {
  /**
   * @returns the value of the entry. If the entry is missing, or `dictionary` is not a dictionary, returns null or a
   * value that no other method recognizes.
   */
  get(dictionary: T, key: string): T;
  isDictionary(object: T): boolean;
  isArray(object: T): boolean;
  /** @returns at most `limit` elements; an empty list if the value is not an array */
  elements(array: T, limit: number): T[];
  /** @returns the text of a name; empty for other objects */
  name(object: T): string;
  /** @returns the object number of a reference; 0 for other objects */
  number(object: T): number;
}

const MAX_ELEMENTS = 50_000;
const MAX_DEPTH = 64;
/**
 * Maximum number of groups and operators examined in membership dictionaries. After that, all content counts as
 * visible.
 */
const MAX_STEPS = 200_000;

/** The document's default configuration, applied as in a viewer. */
export class OptionalContent<T> {
  readonly #reader: ObjectReader<T>;
  /** True for groups that are on, by object number. Groups missing from OCGs are on. */
  readonly #states = new Map<number, boolean>();
  /** Numbers of groups whose intent the configuration excludes (8.11.2.3): they hide nothing. */
  readonly #unused = new Set<number>();
  /** True for membership dictionaries with visible content, by object number. */
  readonly #memberships = new Map<number, boolean>();
  #steps = 0;

  /** @param properties the catalog's OCProperties entry, of any type */
  constructor(reader: ObjectReader<T>, properties: T) {
    this.#reader = reader;
    const configuration = reader.get(properties, "D");
    const groups = reader.elements(reader.get(properties, "OCGs"), MAX_ELEMENTS);
    this.#applyLists(configuration, groups);
    this.#applyUsage(configuration);
    this.#applyIntent(configuration, groups);
  }

  /** Reports whether content of a group, or of a membership dictionary, is visible. */
  isShown(content: T): boolean {
    const reader = this.#reader;
    if (!reader.isDictionary(content)) return true;
    if (reader.name(reader.get(content, "Type")) !== "OCMD") return this.isOn(content);
    const number = reader.number(content);
    const known = this.#memberships.get(number);
    if (known !== undefined) return known;
    const isShown = this.#isMemberShown(content);
    if (number > 0) this.#memberships.set(number, isShown);
    return isShown;
  }

  /** Reports whether OCGs lists the object. This identifies groups even if they lack a Type. */
  isListed(object: T): boolean {
    return this.#states.has(this.#reader.number(object));
  }

  /** @param group an optional content group */
  isOn(group: T): boolean {
    return !this.isUsed(group) || (this.#states.get(this.#reader.number(group)) ?? true);
  }

  /** Reports whether the group can hide content. */
  isUsed(group: T): boolean {
    return !this.#unused.has(this.#reader.number(group));
  }

  /** Applies BaseState, ON, then OFF, which takes precedence (table 101). */
  #applyLists(configuration: T, groups: readonly T[]): void {
    const reader = this.#reader;
    const isOn = reader.name(reader.get(configuration, "BaseState")) !== "OFF";
    for (const group of groups) if (reader.number(group) > 0) this.#states.set(reader.number(group), isOn);
    for (const list of ["ON", "OFF"]) {
      for (const group of reader.elements(reader.get(configuration, list), MAX_ELEMENTS)) {
        if (this.#states.has(reader.number(group))) this.#states.set(reader.number(group), list === "ON");
      }
    }
  }

  /**
   * Applies usage dictionaries (8.11.4.4), but only to groups in AS. If the recommended states differ, OFF takes
   * precedence.
   */
  #applyUsage(configuration: T): void {
    const reader = this.#reader;
    const recommended = new Map<number, boolean>();
    let left = MAX_ELEMENTS;
    for (const application of reader.elements(reader.get(configuration, "AS"), MAX_ELEMENTS)) {
      if (reader.name(reader.get(application, "Event")) !== "View") continue;
      const categories = reader.elements(reader.get(application, "Category"), MAX_ELEMENTS);
      if (!categories.some((category) => reader.name(category) === "View")) continue;
      const groups = reader.elements(reader.get(application, "OCGs"), left);
      left -= groups.length;
      for (const group of groups) {
        const number = reader.number(group);
        const state = reader.name(reader.get(reader.get(reader.get(group, "Usage"), "View"), "ViewState"));
        if (!this.#states.has(number) || (state !== "ON" && state !== "OFF")) continue;
        recommended.set(number, state === "ON" && recommended.get(number) !== false);
      }
    }
    for (const [number, isOn] of recommended) this.#states.set(number, isOn);
  }

  #applyIntent(configuration: T, groups: readonly T[]): void {
    const wanted = this.#intents(configuration);
    if (wanted.includes("All")) return;
    for (const group of groups) {
      const isUsed = this.#intents(group).some((intent) => wanted.includes(intent));
      if (!isUsed && this.#reader.number(group) > 0) this.#unused.add(this.#reader.number(group));
    }
  }

  #intents(dictionary: T): string[] {
    const intent = this.#reader.get(dictionary, "Intent");
    const values = this.#reader.isArray(intent) ? this.#reader.elements(intent, MAX_ELEMENTS) : [intent];
    const names = values.map((value) => this.#reader.name(value)).filter((name) => name !== "");
    return names.length > 0 ? names : ["View"];
  }

  /**
   * Evaluates a membership dictionary (8.11.2.2): VE takes precedence over P, and content without groups is visible.
   */
  #isMemberShown(membership: T): boolean {
    const reader = this.#reader;
    const expression = reader.get(membership, "VE");
    if (reader.isArray(expression)) return this.#evaluate(expression, 0);
    const named = reader.get(membership, "OCGs");
    const groups = (reader.isArray(named) ? reader.elements(named, MAX_ELEMENTS) : [named]).filter((group) =>
      reader.isDictionary(group),
    );
    this.#steps += groups.length;
    if (groups.length === 0 || this.#steps > MAX_STEPS) return true;
    const isOn = (group: T) => this.isOn(group);
    switch (reader.name(reader.get(membership, "P"))) {
      case "AllOn":
        return groups.every(isOn);
      case "AnyOff":
        return !groups.every(isOn);
      case "AllOff":
        return !groups.some(isOn);
      default:
        return groups.some(isOn);
    }
  }

  #evaluate(expression: T, depth: number): boolean {
    const reader = this.#reader;
    if (!reader.isArray(expression)) return this.isOn(expression);
    if (depth > MAX_DEPTH || this.#steps > MAX_STEPS) return true;
    const [operator, ...operands] = reader.elements(expression, MAX_ELEMENTS);
    this.#steps += 1 + operands.length;
    const isTrue = (operand: T) => this.#evaluate(operand, depth + 1);
    switch (operator === undefined ? "" : reader.name(operator)) {
      case "And":
        return operands.every(isTrue);
      case "Or":
        return operands.some(isTrue);
      case "Not":
        return operands.length !== 1 || !isTrue(operands[0]!);
      default:
        return true;
    }
  }
}
