// The words on a drawn invoice, by language.

/** The words in the order of the languages. */
// cspell:disable
const WORDS = {
  invoice: ["Invoice", "Rechnung", "Facture", "Factura", "Fattura"],
  creditNote: ["Credit note", "Gutschrift", "Avoir", "Nota de crédito", "Nota di credito"],
  correction: [
    "Corrected invoice",
    "Rechnungskorrektur",
    "Facture rectificative",
    "Factura rectificativa",
    "Fattura rettificativa",
  ],
  // The mentions that the VAT Directive requires (2006/112/EC, article 226, 10a).
  selfBilled: ["Self-billing", "Gutschrift", "Autofacturation", "Facturación por el destinatario", "Autofatturazione"],
  number: ["Invoice number", "Rechnungsnummer", "Numéro de facture", "Número de factura", "Numero fattura"],
  date: ["Date", "Datum", "Date", "Fecha", "Data"],
  delivery: ["Delivery date", "Lieferdatum", "Date de livraison", "Fecha de entrega", "Data di consegna"],
  period: [
    "Billing period",
    "Abrechnungszeitraum",
    "Période de facturation",
    "Período de facturación",
    "Periodo di fatturazione",
  ],
  recipient: [
    "Delivery address",
    "Lieferadresse",
    "Adresse de livraison",
    "Dirección de entrega",
    "Indirizzo di consegna",
  ],
  payee: ["Payee", "Zahlungsempfänger", "Bénéficiaire", "Beneficiario", "Beneficiario"],
  due: ["Due date", "Fällig am", "Échéance", "Vencimiento", "Scadenza"],
  reference: ["Your reference", "Ihre Referenz", "Votre référence", "Su referencia", "Vostro riferimento"],
  order: ["Order number", "Bestellnummer", "Numéro de commande", "Número de pedido", "Numero ordine"],
  taxNumber: [
    "VAT or tax ID",
    "USt-IdNr. / Steuernr.",
    "N° TVA ou fiscal",
    "NIF o n.º de IVA",
    "P. IVA o cod. fiscale",
  ],
  line: ["No.", "Pos.", "N°", "N.º", "N."],
  item: ["Description", "Bezeichnung", "Désignation", "Descripción", "Descrizione"],
  quantity: ["Quantity", "Menge", "Quantité", "Cantidad", "Quantità"],
  price: ["Unit price", "Einzelpreis", "Prix unitaire", "Precio", "Prezzo"],
  rate: ["VAT %", "USt. %", "TVA %", "IVA %", "IVA %"],
  amount: ["Amount", "Betrag", "Montant", "Importe", "Importo"],
  lines: ["Subtotal", "Zwischensumme", "Sous-total", "Subtotal", "Subtotale"],
  charges: ["Charges", "Zuschläge", "Frais", "Cargos", "Maggiorazioni"],
  allowances: ["Allowances", "Abzüge", "Remises", "Descuentos", "Sconti"],
  basis: ["Total without VAT", "Summe ohne USt.", "Total HT", "Total sin IVA", "Totale imponibile"],
  tax: ["VAT", "Umsatzsteuer", "TVA", "IVA", "IVA"],
  taxOn: ["on", "auf", "sur", "sobre", "su"],
  grand: ["Total", "Gesamtbetrag", "Total TTC", "Total", "Totale"],
  prepaid: ["Paid", "Bereits gezahlt", "Déjà payé", "Pagado", "Pagato"],
  rounding: ["Rounding", "Rundung", "Arrondi", "Redondeo", "Arrotondamento"],
  payable: ["Amount due", "Zahlbetrag", "Net à payer", "Importe a pagar", "Totale da pagare"],
  payment: ["Payment", "Zahlung", "Paiement", "Pago", "Pagamento"],
  page: ["Page", "Seite", "Page", "Página", "Pagina"],
} as const;
// cspell:enable

export const LABEL_LANGUAGES = ["en", "de", "fr", "es", "it"] as const;
export type LabelLanguage = (typeof LABEL_LANGUAGES)[number];
export type Labels = Readonly<Record<keyof typeof WORDS, string>>;

/** Codes of UNTDID 1001 for credit notes. */
const CREDIT_NOTES = new Set(["81", "83", "261", "381", "396"]);

const CORRECTION = "384";
const SELF_BILLED = new Set(["389", "527"]);

export function labelsIn(language: LabelLanguage): Labels {
  const index = LABEL_LANGUAGES.indexOf(language);
  return Object.fromEntries(Object.entries(WORDS).map(([name, words]) => [name, words[index]])) as unknown as Labels;
}

/** Returns the title for a type of document. */
export function titleOf(type: string, labels: Labels): string {
  if (CREDIT_NOTES.has(type)) return labels.creditNote;
  if (type === CORRECTION) return labels.correction;
  return SELF_BILLED.has(type) ? labels.selfBilled : labels.invoice;
}
