// Lets the user order the rows of a list: with buttons, with Alt and a key, and by dragging.
import { useState } from "preact/hooks";
import { Icon } from "./components.tsx";

/** A row of an ordered list. */
export interface Row {
  readonly name: string;
  readonly index: number;
  /** Number of rows. */
  readonly count: number;
  /** Moves the row. An index outside the list becomes the first or last index. */
  move(to: number): void;
}

/**
 * The keys that, together with Alt, move a row. The functions receive the index of the row and the number of rows, and
 * return the new index.
 */
const MOVES: Readonly<Record<string, (index: number, count: number) => number>> = {
  ArrowUp: (index) => index - 1,
  ArrowDown: (index) => index + 1,
  Home: () => 0,
  End: (_, count) => count - 1,
};

/** Moves a row if the pressed keys mean it. */
export function moveByKey(event: KeyboardEvent, { index, count, move }: Omit<Row, "name">): void {
  const next = MOVES[event.key];
  if (!event.altKey || !next) return;
  event.preventDefault();
  move(next(index, count));
}

const BUTTONS = [
  { icon: "top", key: "Home", words: "to the top" },
  { icon: "up", key: "ArrowUp", words: "up" },
  { icon: "down", key: "ArrowDown", words: "down" },
  { icon: "end", key: "End", words: "to the end" },
] as const;

const SHORT = BUTTONS.filter(({ key }) => key.startsWith("Arrow"));

/** @param isShort true for no buttons to the ends of the list */
export function Moves({ name, index, count, move, isShort = false }: Row & { readonly isShort?: boolean }) {
  return (
    <span class="moves">
      {(isShort ? SHORT : BUTTONS).map((button) => {
        const to = MOVES[button.key]!(index, count);
        // The button is not disabled at the ends of the list, because it would lose the focus.
        const isIdle = to === index || to < 0 || to >= count;
        return (
          <button
            type="button"
            class="quiet"
            key={button.key}
            title={`Move ${button.words} (Alt+${button.key.replace("Arrow", "")})`}
            aria-disabled={isIdle}
            onClick={() => !isIdle && move(to)}
          >
            <Icon name={button.icon} />
            <span class="visually-hidden">
              Move {name} {button.words}
            </span>
          </button>
        );
      })}
    </span>
  );
}

/**
 * Returns event handlers for rows that can be dragged onto each other.
 * @param type media type of the dragged data
 * @param id identifies the row
 * @param onDropped receives the ID of a row that is dropped on this row
 */
export function useDragging(type: string, id: string, onDropped: (id: string) => void) {
  const [isOver, setOver] = useState(false);
  return {
    isOver,
    source: { onDragStart: (event: DragEvent) => event.dataTransfer?.setData(type, id) },
    target: {
      onDragOver: (event: DragEvent) => {
        if (!event.dataTransfer?.types.includes(type)) return;
        event.preventDefault();
        setOver(true);
      },
      onDragLeave: () => setOver(false),
      onDrop: (event: DragEvent) => {
        setOver(false);
        const dragged = event.dataTransfer?.getData(type);
        if (!dragged) return;
        event.preventDefault();
        onDropped(dragged);
      },
    },
  };
}
