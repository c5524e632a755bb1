// The callbacks of an engine: messages, fonts, and the bytes of its documents.
import type { MupdfExports, MupdfHooks, Pointer } from "./raw.ts";

/** What the callbacks need of an engine. */
interface Hooked {
  readonly raw: MupdfExports;
  complain(): void;
  hostFont(name: Pointer, language: Pointer): Pointer;
  source(stream: number): Uint8Array;
}

/** @param engine returns the engine, which is created after its callbacks */
export function hooksOf(engine: () => Hooked): MupdfHooks {
  return {
    log_error: () => engine().complain(),
    log_warning: () => engine().complain(),
    load_font_file: (name, script) => engine().hostFont(name, script),
    stm_read(id, position, target, size) {
      const { raw } = engine();
      const bytes = engine()
        .source(id)
        .subarray(position, position + size);
      raw.HEAPU8.set(bytes, target);
      return bytes.length;
    },
    stm_seek(id, position, offset, whence) {
      const from = [0, position, engine().source(id).length][whence]!;
      return from + offset;
    },
    stm_close() {},
  };
}
