// Encrypts secrets, such as passwords, in queued requests (decisions/0059-secrets-of-requests.md).
import type { Sealer } from "../../ports/sealer.ts";

const TAG_OF_USE = "pagewright deferred form";
const IV_BYTES = 12;
const encoder = new TextEncoder();

/** @returns undefined without a secret */
export function sealerOf(secret: string | undefined): Sealer | undefined {
  if (!secret) return undefined;
  const key = deriveKey(secret);
  const options = (iv: BufferSource, context: string) => ({
    ...{ name: "AES-GCM", iv, additionalData: encoder.encode(context) },
  });
  return {
    async seal(text, context) {
      const iv = crypto.getRandomValues(new Uint8Array(IV_BYTES));
      const sealed = await crypto.subtle.encrypt(options(iv, context), await key(), encoder.encode(text));
      return Buffer.concat([iv, new Uint8Array(sealed)]).toString("base64");
    },
    async open(sealed, context) {
      const bytes = new Uint8Array(Buffer.from(sealed, "base64"));
      const iv = bytes.subarray(0, IV_BYTES);
      const text = await crypto.subtle.decrypt(options(iv, context), await key(), bytes.subarray(IV_BYTES));
      return new TextDecoder().decode(text);
    },
  };
}

/** Returns a function that derives a key from a secret of any length (HKDF, RFC 5869) at its first call. */
function deriveKey(secret: string): () => Promise<CryptoKey> {
  let key: Promise<CryptoKey> | undefined;
  const derive = async () => {
    const material = await crypto.subtle.importKey("raw", encoder.encode(secret), "HKDF", false, ["deriveKey"]);
    const hkdf = { name: "HKDF", hash: "SHA-256", salt: new Uint8Array(0), info: encoder.encode(TAG_OF_USE) };
    return crypto.subtle.deriveKey(hkdf, material, { name: "AES-GCM", length: 256 }, false, ["encrypt", "decrypt"]);
  };
  return () => {
    key ??= derive();
    return key;
  };
}
