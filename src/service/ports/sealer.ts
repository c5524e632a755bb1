// Contract of the encryption of secrets in the queue.

/** Encrypts texts with a key that is not stored in the queue. */
export interface Sealer {
  /** @param context a text that `open` must receive again, for example the job ID: the ciphertext is bound to it */
  seal(text: string, context: string): Promise<string>;
  /** @throws Error if the key or the context differs from the one in `seal`, or the ciphertext was changed */
  open(sealed: string, context: string): Promise<string>;
}
