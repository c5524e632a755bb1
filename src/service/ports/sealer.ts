// Declares what the service asks of the encryption of secrets that wait in the queue.

/** Encrypts texts under a key that the queue does not hold. */
export interface Sealer {
  /** @param place that the text is bound to: it opens nowhere else */
  seal(text: string, place: string): Promise<string>;
  /** @throws Error for another key, another place or another text */
  open(sealed: string, place: string): Promise<string>;
}
