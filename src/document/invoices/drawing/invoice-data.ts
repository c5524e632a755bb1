// Reads the data of an invoice that a person needs (EN 16931, BT and BG; syntax CII in the versions of Factur-X and
// ZUGFeRD 1.0, whose element names differ).
import type { Element } from "@xmldom/xmldom";
import { childrenNamed, textOf } from "../read-invoice.ts";

export interface Party {
  readonly name: string;
  /** Lines of the address. */
  readonly address: readonly string[];
  /** Identifiers such as `DE123456789`. */
  readonly taxNumbers: readonly string[];
  /** Name, telephone and mail address of the contact, as far as the invoice has them. */
  readonly contact: readonly string[];
}

export interface InvoiceLine {
  readonly number: string;
  readonly name: string;
  /** Description of the product, and a note, as far as the invoice has them. */
  readonly description: string;
  readonly quantity: string;
  /** Code of UN/ECE Recommendation 20, such as `H87`. */
  readonly unit: string;
  readonly price: string;
  /** Number of units that the price is for; empty for one. */
  readonly priceQuantity: string;
  /** Percentage; empty if there is none. */
  readonly rate: string;
  readonly amount: string;
}

export interface Account {
  readonly iban: string;
  readonly bic: string;
}

export interface TaxPart {
  readonly rate: string;
  readonly basis: string;
  readonly amount: string;
  /** Reason of an exemption; usually empty. */
  readonly reason: string;
}

/** Amounts are decimal numbers as they are in the invoice, and empty if they are missing. Dates are `YYYYMMDD`. */
export interface InvoiceData {
  readonly number: string;
  /** Code of UNTDID 1001, such as `380`. */
  readonly type: string;
  readonly date: string;
  readonly deliveryDate: string;
  /** First and last day of the billing period, as far as the invoice has them. */
  readonly period: readonly string[];
  readonly dueDate: string;
  readonly currency: string;
  readonly buyerReference: string;
  readonly orderNumber: string;
  readonly seller: Party;
  readonly buyer: Party;
  /** Party and address to which goods are delivered; without any text if the invoice has none. */
  readonly recipient: Party;
  readonly lines: readonly InvoiceLine[];
  readonly taxes: readonly TaxPart[];
  readonly totals: Readonly<Record<TotalName, string>>;
  readonly payment: {
    readonly accounts: readonly Account[];
    readonly terms: string;
    /** Party that receives the payment instead of the seller; without any text if the invoice has none. */
    readonly payee: Party;
  };
  readonly notes: readonly string[];
}

/** Element names of the sums, by the names of the totals. */
const TOTALS = {
  lines: "LineTotalAmount",
  charges: "ChargeTotalAmount",
  allowances: "AllowanceTotalAmount",
  basis: "TaxBasisTotalAmount",
  tax: "TaxTotalAmount",
  grand: "GrandTotalAmount",
  prepaid: "TotalPrepaidAmount",
  rounding: "RoundingAmount",
  due: "DuePayableAmount",
} as const;
export type TotalName = keyof typeof TOTALS;

/** Returns the descendants at a path. A step can have alternatives: `A|B/C`. */
function all(from: Element | undefined, path: string): readonly Element[] {
  let found = from ? [from] : [];
  for (const step of path.split("/")) {
    found = found.flatMap((element) => step.split("|").flatMap((name) => childrenNamed(element, name)));
  }
  return found;
}
const one = (from: Element | undefined, path: string): string => textOf(all(from, path)[0]);

const SUMS =
  "SpecifiedTradeSettlementHeaderMonetarySummation|SpecifiedTradeSettlementMonetarySummation|" +
  "SpecifiedTradeSettlementLineMonetarySummation";
const AGREEMENT = "ApplicableHeaderTradeAgreement|ApplicableSupplyChainTradeAgreement";
const DELIVERY = "ApplicableHeaderTradeDelivery|ApplicableSupplyChainTradeDelivery";
const SETTLEMENT = "ApplicableHeaderTradeSettlement|ApplicableSupplyChainTradeSettlement";
const LINE_AGREEMENT = "SpecifiedLineTradeAgreement|SpecifiedSupplyChainTradeAgreement";
const LINE_DELIVERY = "SpecifiedLineTradeDelivery|SpecifiedSupplyChainTradeDelivery";
const LINE_SETTLEMENT = "SpecifiedLineTradeSettlement|SpecifiedSupplyChainTradeSettlement";
const RATE = "RateApplicablePercent|ApplicablePercent";
const NOTE = "AssociatedDocumentLineDocument/IncludedNote/Content";
const NUMBER_OR_ID = "URIID|CompleteNumber";

export function readInvoiceData(root: Element): InvoiceData {
  const [document] = all(root, "ExchangedDocument|HeaderExchangedDocument");
  const [trade] = all(root, "SupplyChainTradeTransaction|SpecifiedSupplyChainTradeTransaction");
  const [agreement] = all(trade, AGREEMENT);
  const [delivery] = all(trade, DELIVERY);
  const [settlement] = all(trade, SETTLEMENT);
  const [terms] = all(settlement, "SpecifiedTradePaymentTerms");
  const [sums] = all(settlement, SUMS);
  return {
    number: one(document, "ID"),
    type: one(document, "TypeCode"),
    date: one(document, "IssueDateTime/DateTimeString"),
    deliveryDate: one(delivery, "ActualDeliverySupplyChainEvent/OccurrenceDateTime/DateTimeString"),
    period: ["Start", "End"]
      .map((end) => one(settlement, `BillingSpecifiedPeriod/${end}DateTime/DateTimeString`))
      .filter(Boolean),
    dueDate: one(terms, "DueDateDateTime/DateTimeString"),
    currency: one(settlement, "InvoiceCurrencyCode"),
    buyerReference: one(agreement, "BuyerReference"),
    orderNumber: one(agreement, "BuyerOrderReferencedDocument/IssuerAssignedID|ID"),
    seller: partyOf(all(agreement, "SellerTradeParty")[0]),
    buyer: partyOf(all(agreement, "BuyerTradeParty")[0]),
    recipient: partyOf(all(delivery, "ShipToTradeParty")[0]),
    lines: all(trade, "IncludedSupplyChainTradeLineItem").map(lineOf),
    taxes: all(settlement, "ApplicableTradeTax").map((tax) => ({
      rate: one(tax, RATE),
      basis: one(tax, "BasisAmount"),
      amount: one(tax, "CalculatedAmount"),
      reason: one(tax, "ExemptionReason"),
    })),
    totals: Object.fromEntries(
      Object.entries(TOTALS).map(([name, element]) => [name, one(sums, element)]),
    ) as InvoiceData["totals"],
    payment: {
      accounts: all(settlement, "SpecifiedTradeSettlementPaymentMeans").map(accountOf),
      terms: one(terms, "Description"),
      payee: partyOf(all(settlement, "PayeeTradeParty")[0]),
    },
    notes: all(document, "IncludedNote").map((note) => one(note, "Content")),
  };
}

function partyOf(party: Element | undefined): Party {
  const [address] = all(party, "PostalTradeAddress");
  const [contact] = all(party, "DefinedTradeContact");
  const part = (name: string) => one(address, name);
  return {
    name: one(party, "Name"),
    address: [
      ...["LineOne", "LineTwo", "LineThree"].map(part),
      [part("PostcodeCode"), part("CityName")].filter(Boolean).join(" "),
      [part("CountrySubDivisionName"), part("CountryID")].filter(Boolean).join(", "),
    ].filter(Boolean),
    taxNumbers: all(party, "SpecifiedTaxRegistration/ID").map(textOf).filter(Boolean),
    contact: [
      one(contact, "PersonName"),
      one(contact, `TelephoneUniversalCommunication/${NUMBER_OR_ID}`),
      one(contact, `EmailURIUniversalCommunication/${NUMBER_OR_ID}`),
    ].filter(Boolean),
  };
}

const accountOf = (means: Element): Account => ({
  iban: one(means, "PayeePartyCreditorFinancialAccount/IBANID|ProprietaryID"),
  bic: one(means, "PayeeSpecifiedCreditorFinancialInstitution/BICID"),
});

function lineOf(item: Element): InvoiceLine {
  const [settlement] = all(item, LINE_SETTLEMENT);
  const [quantity] = all(item, `${LINE_DELIVERY}/BilledQuantity`);
  const [price] = all(item, `${LINE_AGREEMENT}/NetPriceProductTradePrice`);
  const priceQuantity = one(price, "BasisQuantity");
  return {
    number: one(item, "AssociatedDocumentLineDocument/LineID"),
    name: one(item, "SpecifiedTradeProduct/Name"),
    description: [one(item, "SpecifiedTradeProduct/Description"), one(item, NOTE)].filter(Boolean).join("\n"),
    quantity: textOf(quantity),
    unit: quantity?.getAttribute("unitCode") ?? "",
    price: one(price, "ChargeAmount"),
    priceQuantity: Number(priceQuantity) === 1 ? "" : priceQuantity,
    rate: one(settlement, `ApplicableTradeTax/${RATE}`),
    amount: one(settlement, `${SUMS}/LineTotalAmount`),
  };
}
