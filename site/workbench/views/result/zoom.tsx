// A dialog that shows an enlarged page. The viewer is loaded when the dialog is opened for the first time.
import { useEffect, useRef, useState } from "preact/hooks";
import type { Pair, Side } from "../../model/pairs.ts";
import type { Viewer } from "../../session/zoom-viewer.ts";
import { Icon, ProblemText } from "../components.tsx";
import { pictureAddress } from "./picture.ts";

export function Zoom({ pair, onClose }: { pair: Pair; onClose(): void }) {
  const dialog = useRef<HTMLDialogElement>(null);
  const [isBefore, setBefore] = useState(pair.after === undefined);
  const side = (isBefore ? pair.before : pair.after) ?? pair.after ?? pair.before;
  const { place, viewer, isFailed } = useViewer(side);
  useEffect(() => dialog.current?.showModal(), []);
  return (
    <dialog ref={dialog} class="zoom" aria-label={`Page ${side?.page}, enlarged`} onClose={onClose}>
      <div class="toolbar">
        {pair.before && pair.after && (
          <fieldset class="segments">
            <legend class="visually-hidden">Version</legend>
            {["Before", "After"].map((word) => (
              <label class="choice" key={word}>
                <input
                  type="radio"
                  name="version"
                  checked={isBefore === (word === "Before")}
                  onChange={() => setBefore(word === "Before")}
                />
                <span>{word}</span>
              </label>
            ))}
          </fieldset>
        )}
        <button type="button" onClick={() => viewer.current?.zoomBy(1.5)}>
          Larger
        </button>
        <button type="button" onClick={() => viewer.current?.zoomBy(1 / 1.5)}>
          Smaller
        </button>
        <button type="button" onClick={() => viewer.current?.reset()}>
          Whole page
        </button>
        <button type="button" class="close" onClick={() => dialog.current?.close()}>
          <Icon name="remove" /> Close
        </button>
      </div>
      {isFailed && <ProblemText problem={{ status: 0, sentence: "The viewer could not be loaded." }} />}
      <div class="viewer" ref={place} />
    </dialog>
  );
}

function useViewer(side: Side | undefined) {
  const elementRef = useRef<HTMLDivElement>(null);
  const viewer = useRef<Viewer | null>(null);
  const [isFailed, setFailed] = useState(false);
  const address = pictureAddress(side);
  const deep = side?.type === "application/pdf" ? side : undefined;
  useEffect(() => {
    if (address === undefined) return;
    let isOver = false;
    const show = async () => {
      const { openViewer } = await import("../../session/zoom-viewer.ts");
      if (isOver || !elementRef.current) return;
      viewer.current ??= openViewer(elementRef.current);
      await viewer.current.show(deep ? { id: deep.id, page: deep.page } : { address });
    };
    show().catch(() => setFailed(true));
    return () => {
      isOver = true;
    };
  }, [address]);
  useEffect(() => () => viewer.current?.close(), []);
  return { place: elementRef, viewer, isFailed };
}
