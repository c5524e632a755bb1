// Stores the text of each job in pieces: first its form, then its response.

import { change, query, type Steps } from "./sql.ts";

/** Characters per piece. SQLite in a Durable Object limits a row to 2 MB. */
const PIECE_LETTERS = 1_000_000;

/** Replaces the text of a job. */
export function* writeText(id: string, json: string): Steps<void> {
  const text = ascii(json);
  yield* change("DELETE FROM texts WHERE job = ?", id);
  for (let piece = 0; piece * PIECE_LETTERS < text.length; piece++) {
    const letters = text.slice(piece * PIECE_LETTERS, (piece + 1) * PIECE_LETTERS);
    yield* change("INSERT INTO texts (job, piece, text) VALUES (?, ?, ?)", id, piece, letters);
  }
}

/** @returns an empty text if there is none */
export function* readText(id: string): Steps<string> {
  const pieces = yield* query("SELECT text FROM texts WHERE job = ? ORDER BY piece", id);
  return pieces.map(({ text }) => text).join("");
}

/** Escapes JSON to ASCII, so that no piece ends within a character. */
const ascii = (json: string) =>
  json.replace(/[\u0080-\uffff]/g, (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, "0")}`);
