/**
 * The chargeback codes of Visa, Mastercard, American Express and Discover that mean fraud: the cardholder did not take
 * part. Codes about goods that did not arrive, quality, duplicates or processing are disputes, and not among them.
 *
 * Source: Visa Core Rules, dispute category 10; Mastercard Chargeback Guide, "Fraud"; American Express and Discover
 * dispute guides, "Fraud"
 */
export const fraudCodesDefault: readonly string[] = `10.1 10.2 10.3 10.4 10.5
   4837 4849 4863 4870 4871
   F10 F14 F24 F29 F30 F31
   UA01 UA02 UA05 UA06`.split(/\s+/);
