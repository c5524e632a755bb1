// Contract of the encryption of secrets in the queue.

/** Encrypts texts with a key that is not stored in the queue. */
export interface Sealer {
  /** @param context context to which the ciphertext is bound, for example a job ID */
  seal(text: string, context: string): Promise<string>;
  /** @throws Error if key, context or ciphertext differ */
  open(sealed: string, context: string): Promise<string>;
}
