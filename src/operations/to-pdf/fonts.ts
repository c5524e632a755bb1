// The fonts that a client sends with a document.

/** {@link Input.role} of a font with which the document is set. */
export const FONT = "font";
