// The secrets of the attack kit, each with the expression that must find it. cspell:disable

export interface Secret {
  readonly kind: string;
  /** The words that are planted; the label in front helps presets that need one. */
  readonly text: string;
  /** What must not be left. */
  readonly needle: string;
  readonly redaction: { readonly type: "literal" | "regex" | "preset"; readonly value: string };
}

const preset = (value: string, needle: string, text = needle): Secret => ({
  ...{ kind: value, text, needle },
  redaction: { type: "preset", value },
});
const literal = (needle: string): Secret => ({
  ...{ kind: "literal", text: needle, needle },
  redaction: { type: "literal", value: needle },
});
const regex = (value: string, needle: string): Secret => ({
  ...{ kind: "regex", text: needle, needle },
  redaction: { type: "regex", value },
});

export const SECRETS: readonly Secret[] = [
  preset("email", "j.harrow@corvidmail.example"),
  preset("phone_number", "+1 (415) 555-0132"),
  preset("date", "14 March 1987"),
  preset("us_ssn", "536-90-4399"),
  preset("url", "https://vault.corvid.example/q?id=77"),
  preset("credit_card", "4929 1234 5678 9015"),
  preset("credit_debit_pin", "738291", "PIN: 738291"),
  preset("bank_routing_number", "021000021"),
  preset("international_bank_account_number", "DE89 3704 0044 0532 0130 00"),
  preset("swift_bic_number", "DEUTDEFF500"),
  preset("ipv4", "203.0.113.77"),
  preset("ipv6", "2001:db8:85a3::8a2e:370:7334"),
  literal("Project Heron"),
  literal("Office affliction"),
  literal("Jürgen Lüdenscheidt-Größe"),
  literal("Amount (due) 7\\3"),
  literal("kestrelwings"),
  regex("(?i)case no\\. \\d+", "Case No. 8842719"),
  regex("[A-Z]{3}-\\d{6}", "QXZ-664201"),
  regex("\\bfalcon\\w*", "falconry77"),
];

/** Secrets in characters that WinAnsiEncoding does not contain. */
export const WIDE_SECRETS: readonly Secret[] = [
  literal("極秘計画"),
  literal("Тайный проект"),
  literal("סודי ביותר"),
  literal("مشروع سري"),
  regex("Κωδικός \\d+", "Κωδικός 48219"),
];

export const isLatin = ({ text }: Secret): boolean => /^[\x20-\xff]*$/.test(text);
