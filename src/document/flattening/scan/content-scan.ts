// Scans one content stream as a viewer does. Tracks the graphics state, and records each transparent painting operation
// as a Paint: its byte range, the cause of its transparency, and the insertion point after it. The causes are the
// graphics state (constant alpha, blend mode, soft mask), a pattern, a font or form with transparent content, and the
// soft mask of an image. Opaque operations only interrupt runs; with `recordsAll`, they are recorded too. A form is
// scanned only if `PageScan.enter` accepts it.
import { type ContentOperation, readOperations } from "../../content/content.ts";
import { type Box, boundsOf, matrixOf, multiply } from "../../content/matrix.ts";
import {
  PARAMETERS,
  PATH_CONSTRUCTION,
  PATH_FILLING,
  PATH_PAINTING,
  PATH_STROKING,
  TEXT_SHOWING,
} from "../../content/operators.ts";
import type { PdfFile } from "../../objects/pdf-file.ts";
import { Dictionary, Name, Reference, type Value } from "../../objects/values.ts";
import { PageTooComplex } from "../page-too-complex.ts";
import type { ByteSpan, Color, ContentNode, InsertionPoint, LayerScope, Paint, PaintKind } from "./content-node.ts";
import { type GraphicsState, type Painting, TextObject } from "./graphics-state.ts";
import type { PageScan } from "./page-scan.ts";
import { extendBox, formBounds } from "./path-box.ts";

/** Maximum number of open `q` operators, of open marked-content sequences, and of recorded `Q` without `q`. */
const MAX_SAVED = 100_000;
/** Images, shadings and stencils use the parameters of fills. */
const FILL: Painting = { fills: true, strokes: false };

/** The scan of one content stream. */
export class ContentScan {
  readonly node: ContentNode;
  readonly depth: number;
  state: GraphicsState;
  readonly #scanner: PageScan;
  readonly #file: PdfFile;
  readonly #saved: GraphicsState[] = [];
  /**
   * The open marked-content sequences. `layers`: to restore at the end. `tagStart`: start of the innermost tagged
   * content.
   */
  readonly #marked: { readonly layers: LayerScope | undefined; readonly tagStart: number | undefined }[] = [];
  #layers: LayerScope | undefined;
  /** Start of the marked content that encloses the whole stream and belongs to the structure tree. */
  readonly #outerTag: number | undefined;
  /** `Q` operators without `q`. */
  readonly #strayRestores: ByteSpan[] = [];
  /** True after `W` or `W*`: the current path clips once it is painted. */
  #clips = false;
  /** Offset of the current path; -1 if there is no path. */
  #pathStart = -1;
  #pathBox: Box | undefined;
  #text: TextObject | undefined;

  constructor(
    scanner: PageScan,
    node: ContentNode,
    state: GraphicsState,
    layers: LayerScope | undefined,
    tagStart: number | undefined,
    depth: number,
  ) {
    this.#scanner = scanner;
    this.#file = scanner.options.file;
    this.node = node;
    this.state = state;
    this.#layers = layers;
    this.#outerTag = tagStart;
    this.depth = depth;
  }

  run(): void {
    for (const operation of readOperations(this.node.bytes)) {
      this.#scanner.countOperation();
      if (PATH_CONSTRUCTION.has(operation.operator)) this.#extendPath(operation);
      else this.#apply(operation);
    }
    this.node.ending = { saved: this.#saved.length, marked: this.#marked.length, strays: this.#strayRestores };
  }

  insertionAt(at: number): InsertionPoint {
    return {
      node: this.node,
      at,
      matrix: this.state.matrix,
      clip: this.state.clip,
      layers: this.#layers,
      saved: this.#saved.length,
      marked: this.#marked.length,
      tagStart: this.#tagStart,
    };
  }

  #apply(operation: ContentOperation): void {
    const { operator, operands } = operation;
    if (this.#text && PARAMETERS.has(operator)) this.#text.setting(operation);
    switch (operator) {
      case "q":
        this.#save();
        break;
      case "Q":
        this.#restore(operation);
        break;
      case "cm":
        this.#transform(operands);
        break;
      case "gs":
        this.#setState(this.#file.dictionary(this.#resource("ExtGState", operands[0])));
        break;
      case "W":
      case "W*":
        this.#clips = true;
        break;
      case "BT":
        this.#text = new TextObject(operation.start);
        break;
      case "ET":
        this.#endText(operation);
        break;
      case "Tf":
        this.state.font = this.#file.dictionary(this.#resource("Font", operands[0]));
        break;
      case "Tr":
        this.state.mode = Math.trunc(this.#file.number(operands[0]) ?? 0);
        break;
      case "sh":
        this.#noteShading(this.#resource("Shading", operands[0]));
        this.#paint("shading", operation, this.state.isTransparent(FILL));
        break;
      case "BI":
        this.#drawInlineImage(operation);
        break;
      case "Do":
        this.#drawObject(operation);
        break;
      case "BMC":
      case "BDC":
        this.#beginMarked(operation);
        break;
      case "EMC":
        if (this.#marked.length > 0) this.#layers = this.#marked.pop()!.layers;
        break;
      case "n":
        this.#endPath();
        break;
      default:
        if (TEXT_SHOWING.has(operator)) this.#showText(operation);
        else if (PATH_PAINTING.has(operator)) this.#paintPath(operation);
        else this.#setColorOf(operation);
    }
  }

  #extendPath(operation: ContentOperation): void {
    if (this.#pathStart < 0) this.#pathStart = operation.start;
    this.#pathBox = extendBox(this.#pathBox, operation);
  }

  #save(): void {
    if (this.#saved.length >= MAX_SAVED) throw new PageTooComplex("graphics states");
    this.#saved.push(this.state.clone());
  }

  #restore({ start, end }: ContentOperation): void {
    const before = this.#saved.pop();
    if (!before) {
      if (this.#strayRestores.length < MAX_SAVED) this.#strayRestores.push({ start, end });
      return;
    }
    this.state = before;
    this.#scanner.runs.restored(this.insertionAt(end));
  }

  #transform(operands: readonly Value[]): void {
    const matrix = matrixOf(operands.map((value) => this.#file.number(value)));
    if (matrix) this.state.matrix = multiply(matrix, this.state.matrix);
  }

  get #tagStart(): number | undefined {
    return this.#marked.length > 0 ? this.#marked.at(-1)!.tagStart : this.#outerTag;
  }

  #resource(category: string, name: Value | undefined): Value | undefined {
    const key = this.#file.name(name);
    return key === undefined ? undefined : this.#file.dictionary(this.node.resources?.get(category))?.get(key);
  }

  #setState(dictionary: Dictionary | undefined): void {
    if (!dictionary) return;
    this.state.set(this.#scanner.options.transparency.ofState(dictionary));
    const font = this.#file.array(dictionary.get("Font"))?.[0];
    if (font !== undefined) this.state.font = this.#file.dictionary(font);
  }

  #setColorOf({ operator, operands }: ContentOperation): void {
    const { colors } = this.#scanner.options;
    const { state } = this;
    const isFill = operator === operator.toLowerCase();
    switch (operator.toLowerCase()) {
      case "g":
      case "rg":
      case "k":
        colors.device(operator);
        this.#setColor(isFill, { space: undefined, components: numbersOf(operands) }, undefined);
        break;
      case "cs":
        colors.space(operands[0], this.node.resources);
        this.#setColor(isFill, { space: this.#file.name(operands[0]), components: [] }, undefined);
        break;
      case "sc":
      case "scn": {
        const last = operands.at(-1);
        const pattern = last instanceof Name ? this.#resource("Pattern", last) : undefined;
        if (pattern !== undefined) this.#noteShading(this.#file.dictionary(pattern)?.get("Shading"));
        const { space } = (isFill ? state.fill : state.stroke) ?? {};
        this.#setColor(isFill, { space, components: numbersOf(operands) }, pattern);
      }
    }
  }

  #setColor(isFill: boolean, color: Color, pattern: Value | undefined): void {
    if (isFill) this.state.setFill(color, pattern);
    else this.state.setStroke(color, pattern);
  }

  #noteShading(value: Value | undefined): void {
    const shading = this.#file.dictionary(value);
    if (shading) this.#scanner.options.colors.space(shading.get("ColorSpace"), this.node.resources);
  }

  #isPatternTransparent({ fills, strokes }: Painting): boolean {
    const patterns = [fills ? this.state.fillPattern : undefined, strokes ? this.state.strokePattern : undefined];
    return patterns.some((pattern) => pattern !== undefined && this.#scanner.options.transparency.inObject(pattern));
  }

  #paintPath(operation: ContentOperation): void {
    const { state } = this;
    const { operator } = operation;
    const fills = !PATH_STROKING.has(operator);
    const strokes = !PATH_FILLING.has(operator);
    const byPattern = this.#isPatternTransparent({ fills, strokes });
    const byState = state.isTransparent({ fills, strokes });
    const isFill = !strokes && !this.#clips && state.fillPattern === undefined && this.#pathStart >= 0;
    const isStroke = !fills && !this.#clips && state.strokePattern === undefined && this.#pathStart >= 0;
    const plain = {
      isFill,
      isStroke,
      ...(isStroke && !state.isBlendedOrMasked ? { plainAlpha: state.strokeAlpha } : {}),
    };
    const bounds = strokes || !this.#pathBox ? undefined : boundsOf(state.matrix, this.#pathBox);
    this.#paint("path", operation, byState || byPattern, { ...plain, byState: !byPattern, bounds });
    this.#endPath();
  }

  #endPath(): void {
    if (this.#clips) this.state.clip = { outer: this.state.clip };
    this.#clips = false;
    this.#pathStart = -1;
    this.#pathBox = undefined;
  }

  #showText(operation: ContentOperation): void {
    const { state } = this;
    const isType3 = this.#file.name(state.font?.get("Subtype")) === "Type3";
    const { mode } = state;
    const visible = mode & 3;
    const show = { start: operation.start, end: operation.end, mode, isType3 };
    const fills = isType3 || visible === 0 || visible === 2;
    const strokes = !isType3 && (visible === 1 || visible === 2);
    const byObject =
      (isType3 && this.#scanner.options.transparency.inObject(state.font)) ||
      this.#isPatternTransparent({ fills, strokes });
    const byState = state.isTransparent({ fills, strokes });
    const paints = isType3 || visible !== 3;
    const isPlain = mode === 0 && !isType3 && state.fillPattern === undefined;
    const text = this.#text ?? new TextObject(operation.start);
    text.show(show, { paints, isTransparent: paints && (byObject || byState), byObject, isPlain });
    if (!this.#text && paints) {
      this.#paint("text", operation, byObject || byState, { shows: [show], byState: !byObject });
    }
  }

  #endText(operation: ContentOperation): void {
    const text = this.#text;
    this.#text = undefined;
    if (!text) return;
    if (text.paints) {
      const whole = { ...operation, start: text.start };
      this.#paint("text", whole, text.isTransparent, {
        shows: text.shows,
        settings: text.settings,
        isFill: text.isPlain,
        byState: !text.byObject,
      });
    }
    if (text.clips) this.state.clip = { outer: this.state.clip };
  }

  #drawInlineImage(operation: ContentOperation): void {
    const dictionary = operation.operands[0];
    const isStencil =
      dictionary instanceof Dictionary && (dictionary.get("IM") ?? dictionary.get("ImageMask")) === true;
    const space = dictionary instanceof Dictionary ? (dictionary.get("CS") ?? dictionary.get("ColorSpace")) : undefined;
    this.#scanner.options.colors.space(space, this.node.resources);
    const byPattern = isStencil && this.#isPatternTransparent(FILL);
    const byState = this.state.isTransparent(FILL);
    this.#paint("inline", operation, byState || byPattern, { byState: !byPattern });
  }

  #drawObject(operation: ContentOperation): void {
    const value = this.#resource("XObject", operation.operands[0]);
    const stream = this.#file.stream(value);
    if (!stream) return;
    const { dictionary } = stream;
    const { transparency, colors, recordsAll } = this.#scanner.options;
    const { state } = this;
    const layer = dictionary.get("OC");
    if (layer !== undefined) this.#scanner.noteLayer();
    const byState = state.isTransparent(FILL);
    if (this.#file.name(dictionary.get("Subtype")) === "Image") {
      const isStencil = this.#file.boolean(dictionary.get("ImageMask")) === true;
      if (!isStencil) colors.space(dictionary.get("ColorSpace"), this.node.resources);
      const isMasked = transparency.isTransparentImage(dictionary);
      const byPattern = isStencil && this.#isPatternTransparent(FILL);
      this.#paint("image", operation, byState || isMasked || byPattern, {
        object: value,
        byState: !isMasked && !byPattern,
        byMask: isMasked && !byState && !byPattern,
        ownLayer: layer,
        bounds: boundsOf(state.matrix, [0, 0, 1, 1]),
      });
      return;
    }
    if (!dictionary.has("BBox") && this.#file.name(dictionary.get("Subtype")) !== "Form") return;
    const isDeep = transparency.inResources(dictionary.get("Resources") ?? this.node.resources);
    const number = value instanceof Reference ? value.number : 0;
    const isPlain = !byState && state.strokeAlpha >= 1;
    if (recordsAll || (isPlain && isDeep)) {
      const layers =
        layer === undefined ? this.#layers : { outer: this.#layers, mark: undefined, objectNumber: number };
      if (this.#scanner.enter(this, stream, number, operation, layers)) return;
    }
    this.#paint("form", operation, !isPlain || isDeep, {
      object: value,
      byState: !isDeep,
      ownLayer: layer,
      bounds: formBounds(this.#file, dictionary, state.matrix),
      ...(state.strokeAlpha === state.fillAlpha ? {} : { plainAlpha: undefined }),
    });
  }

  #beginMarked({ operator, operands, start, end }: ContentOperation): void {
    const [tag, given] = operands;
    const properties =
      operator === "BDC" ? (given instanceof Name ? this.#resource("Properties", given) : given) : undefined;
    const tagStart = this.#file.dictionary(properties)?.has("MCID") ? start : this.#tagStart;
    if (this.#marked.length >= MAX_SAVED) throw new PageTooComplex("marked content");
    this.#marked.push({ layers: this.#layers, tagStart });
    if (!(tag instanceof Name && tag.text === "OC") || operator !== "BDC") return;
    this.#scanner.noteLayer();
    this.#layers = { outer: this.#layers, mark: { node: this.node, start, end }, objectNumber: undefined };
  }

  /** @param about properties that differ from the properties of a plain fill */
  #paint(kind: PaintKind, operation: ContentOperation, isTransparent: boolean, about: Partial<Paint> = {}): void {
    const { recordsAll } = this.#scanner.options;
    const isNoted = isTransparent || recordsAll === true;
    const sequence = this.#scanner.next(isNoted);
    if (!isTransparent) this.#scanner.runs.interrupt();
    if (!isNoted) return;
    const { state } = this;
    const { operator, start, end } = operation;
    const paint: Paint = {
      sequence,
      node: this.node,
      kind,
      operator,
      start,
      end,
      pathStart: kind === "path" && this.#pathStart >= 0 ? this.#pathStart : start,
      insertion: this.insertionAt(end),
      shows: [],
      settings: [],
      object: undefined,
      byState: true,
      byMask: false,
      isFill: false,
      isStroke: false,
      plainAlpha: state.isBlendedOrMasked ? undefined : state.fillAlpha,
      fill: state.fill,
      stroke: state.stroke,
      bounds: undefined,
      ownLayer: undefined,
      ...about,
    };
    this.node.paints.push(paint);
    if (isTransparent) this.#scanner.runs.add(paint);
  }
}

const numbersOf = (operands: readonly Value[]) => operands.filter((value) => typeof value === "number");
