/**
 * Codes of ISO 4217: currencies, funds, metals and units of account, and what was withdrawn since 2020. Without the two
 * codes for a test and for no currency: an amount in them is a mistake.
 */
const codes: ReadonlySet<string> = new Set(
  `AED AFN ALL AMD ANG AOA ARS AUD AWG AZN BAM BBD BDT BGN BHD BIF BMD BND BOB BOV BRL BSD BTN BWP BYN BZD CAD CDF CHE
   CHF CHW CLF CLP CNY COP COU CRC CUC CUP CVE CZK DJF DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP GEL GHS GIP GMD GNF GTQ
   GYD HKD HNL HRK HTG HUF IDR ILS INR IQD IRR ISK JMD JOD JPY KES KGS KHR KMF KPW KRW KWD KYD KZT LAK LBP LKR LRD LSL
   LYD MAD MDL MGA MKD MMK MNT MOP MRU MUR MVR MWK MXN MXV MYR MZN NAD NGN NIO NOK NPR NZD OMR PAB PEN PGK PHP PKR PLN
   PYG QAR RON RSD RUB RWF SAR SBD SCR SDG SEK SGD SHP SLE SLL SOS SRD SSP STN SVC SYP SZL THB TJS TMT TND TOP TRY TTD
   TWD TZS UAH UGX USD USN UYI UYU UYW UZS VED VES VND VUV WST XAD XAF XAG XAU XBA XBB XBC XBD XCD XCG XDR XOF XPD XPF
   XPT XSU XUA YER ZAR ZMW ZWG ZWL`.split(/\s+/),
);

/** Whether ISO 4217 has this code. */
export function isCurrencyCode(code: string): boolean {
  return codes.has(code);
}

/** The code without white space around it and with a to z as capitals, so that sums per currency stay together. */
export function foldCurrencyCode(code: string): string {
  return code.trim().replaceAll(/[a-z]+/g, (letters) => letters.toUpperCase());
}

/** Currencies whose smallest unit is not a hundredth, by the number of decimal places. */
const places: ReadonlyMap<string, number> = new Map(
  [
    [0, 'BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF'],
    [3, 'BHD IQD JOD KWD LYD OMR TND'],
    [4, 'CLF UYW'],
  ].flatMap(([count, of]) =>
    String(of)
      .split(' ')
      .map((code) => [code, Number(count)] as const),
  ),
);

/** The decimal places of amounts in a currency; 2 for codes that ISO 4217 does not have. */
export function currencyPlaces(code: string): number {
  return places.get(code) ?? 2;
}
