// Adds the API keys of the environment variable API_KEYS to the keys of the key database.

import { hashKey, type KeyRecord, type KeyRecords } from "../src/service/ports/api-key.ts";

export class EnvironmentKeys implements KeyRecords {
  readonly #records: ReadonlyMap<string, KeyRecord>;
  readonly #others: KeyRecords;

  constructor(keys: readonly string[], others: KeyRecords) {
    const record: KeyRecord = { owner: "environment", created: new Date().toISOString(), revoked: null };
    this.#records = new Map(keys.map((key) => [hashKey(key), record]));
    this.#others = others;
  }

  async get(hash: string, type: "json"): Promise<KeyRecord | null> {
    // A record in the key database takes precedence, because it can revoke or limit a key of the environment.
    return (await this.#others.get(hash, type)) ?? this.#records.get(hash) ?? null;
  }
}
