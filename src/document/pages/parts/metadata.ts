// Copies the metadata of the first input, with the declarations that are true for the result.
import type { Claims } from "../../formats/xmp/claims.ts";
import type { Value } from "../../objects/values.ts";
import type { AssemblyTarget, DocumentPart, InputSelection } from "../assemble.ts";
import { claimNotices, commonClaims, metadataOf, putMetadata } from "../claims.ts";
import type { OutputIntents } from "./output-intents.ts";

export class Metadata implements DocumentPart {
  readonly #intents: OutputIntents;
  readonly #claims: Claims[] = [];
  #packet: Uint8Array | undefined;
  /** Unreadable metadata, copied unchanged. */
  #unread: Value | undefined;

  constructor(intents: OutputIntents) {
    this.#intents = intents;
  }

  close({ source, inputIndex, copier }: InputSelection): void {
    const { file } = source;
    const { packet, claims } = source.once(metadataOf);
    this.#claims.push(claims);
    if (inputIndex > 0) return;
    this.#packet = packet;
    const metadata = file.catalog.get("Metadata");
    if (!packet && file.stream(metadata)) this.#unread = copier.value(metadata!);
  }

  finish({ file, catalog, report }: AssemblyTarget): void {
    const kept = new Map(commonClaims(this.#claims));
    // PDF/VT requires document parts, which are omitted (ISO 16612-2, 6.4).
    kept.delete("PDF/VT");
    // Without the output intents, device colors have no defined meaning.
    if (!this.#intents.areKept) for (const family of kept.keys()) if (family !== "PDF/UA") kept.delete(family);
    putMetadata(file, catalog, this.#packet, kept);
    if (this.#unread) catalog.set("Metadata", this.#unread);
    report(...claimNotices(this.#claims, kept));
  }
}
