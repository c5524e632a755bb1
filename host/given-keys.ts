// Adds API keys that the environment gives to those of the key database.

import { hashKey, type KeyRecord, type KeyRecords } from "../src/core/api-key.ts";

export class GivenKeys implements KeyRecords {
  readonly #records: ReadonlyMap<string, KeyRecord>;
  readonly #others: KeyRecords;

  constructor(keys: readonly string[], others: KeyRecords) {
    const record: KeyRecord = { owner: "environment", created: new Date().toISOString(), revoked: null };
    this.#records = new Map(keys.map((key) => [hashKey(key), record]));
    this.#others = others;
  }

  async get(hash: string, type: "json"): Promise<KeyRecord | null> {
    const given = this.#records.get(hash);
    const kept = await this.#others.get(hash, type);
    if (!given) return kept;
    // The environment gives no signing secrets.
    return { ...given, ...(kept?.webhookSecrets ? { webhookSecrets: kept.webhookSecrets } : {}) };
  }
}
