/**
 * Payment card numbers in free text.
 *
 * A card number has 13 to 19 digits, starts with a known issuer prefix, and passes the Luhn check. It may be written in
 * groups. About one in thirty digit strings of that length matches by chance, so this is for free text only, not for
 * account numbers.
 */

/** Digits of the shortest and the longest card number (ISO/IEC 7812-1). */
const digitsMin = 13;
const digitsMax = 19;
/** The digits that stay readable, as PCI DSS 3.4.1 allows: the first six and the last four. */
const shownFirst = 6;
const shownLast = 4;

/** Digits, separated by at most three spaces, hyphens, or their non-breaking and dash forms. */
const candidates = /\d(?:[ \-\u00a0\u2010-\u2014]{0,3}\d){12,}/g;

/**
 * Issuer prefixes: Mir and Mastercard (2), Diners, American Express and JCB (3), Visa (4), Mastercard and Maestro (5),
 * Discover, UnionPay, Maestro, RuPay, Elo and Hipercard (6), UnionPay and RuPay (81, 82), Troy (9792).
 */
const issuers = /^(?:220[0-5]|222[1-9]|22[3-9]|2[3-6]|27[01]|2720|30[0-59]|3[4-9]|4|5[0-8]|6|8[12]|9792)/;

/** Digits of a CLABE, the number of a Mexican account. */
const clabeDigits = 18;

/**
 * Masks every card number in the text except its first six and last four digits; spaces and hyphens stay. Returns the
 * same string when there is none. Linear in the length of the text.
 */
export function maskCardNumbers(text: string): string {
  return hasDigitsEnough(text) ? text.replace(candidates, maskRun) : text;
}

/** The text, unless a card number in it was masked: its sender would not know it again. */
export function unlessMasked(text: string | undefined): string | undefined {
  return text === undefined || /\d\*+(?:[ \-\u00a0\u2010-\u2014]{1,3}\*+)*[ \-\u00a0\u2010-\u2014]{0,3}\d/.test(text)
    ? undefined
    : text;
}

/**
 * Whether the text contains what can only be a card number. Eighteen digits in one piece with the check digit of a CLABE
 * are an account: every tenth CLABE of some banks looks like a card number as well.
 */
export function hasSureCardNumber(text: string): boolean {
  return (
    hasDigitsEnough(text) &&
    hasCardNumber(text.replaceAll(/\d+/g, (digits) => (isClabe(digits) ? '-'.repeat(4) : digits)))
  );
}

/** Source: Banco de México, the check digit of the CLABE: weights 3, 7, 1; only the last digit of each product counts. */
function isClabe(digits: string): boolean {
  if (digits.length !== clabeDigits) return false;
  let sum = 0;
  for (let at = 0; at < clabeDigits - 1; at++) sum += ((digits.charCodeAt(at) - 0x30) * [3, 7, 1][at % 3]!) % 10;
  return (10 - (sum % 10)) % 10 === digits.charCodeAt(clabeDigits - 1) - 0x30;
}

export function hasCardNumber(text: string): boolean {
  return maskCardNumbers(text) !== text;
}

/** Fast path: most free text has too few digits, which one pass shows. */
function hasDigitsEnough(text: string): boolean {
  if (text.length < digitsMin) return false;
  let count = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code >= 0x30 && code <= 0x39 && ++count >= digitsMin) return true;
  }
  return false;
}

/**
 * Masks within one run of groups. A number may be next to other digits (a date, an amount), so every sequence of whole
 * groups with 13 to 19 digits is tried, from left to right, longer ones first.
 */
function maskRun(run: string): string {
  const groups = Array.from(run.matchAll(/\d+/g), (match) => ({ at: match.index, digits: match[0] }));
  let masked = '';
  let done = 0;
  for (let first = 0; first < groups.length; first++) {
    const last = lastGroupOfNumber(groups, first);
    if (last === undefined) continue;
    const end = groups[last]!.at + groups[last]!.digits.length;
    masked += run.slice(done, groups[first]!.at) + maskDigits(run.slice(groups[first]!.at, end));
    done = end;
    first = last;
  }
  return masked + run.slice(done);
}

function lastGroupOfNumber(groups: readonly { readonly digits: string }[], first: number): number | undefined {
  let found: number | undefined;
  let digits = '';
  for (let last = first; last < groups.length && digits.length <= digitsMax; last++) {
    digits += groups[last]!.digits;
    if (isCardNumber(digits)) found = last;
  }
  return found;
}

function isCardNumber(digits: string): boolean {
  return digits.length >= digitsMin && digits.length <= digitsMax && issuers.test(digits) && passesLuhn(digits);
}

function passesLuhn(digits: string): boolean {
  let sum = 0;
  for (let at = 0; at < digits.length; at++) {
    const digit = digits.charCodeAt(digits.length - 1 - at) - 0x30;
    const doubled = digit * 2;
    sum += at % 2 === 0 ? digit : doubled > 9 ? doubled - 9 : doubled;
  }
  return sum % 10 === 0;
}

function maskDigits(number: string): string {
  const hiddenEnd = number.replace(/\D/g, '').length - shownLast;
  let count = 0;
  return number.replace(/\d/g, (digit) => {
    count++;
    return count > shownFirst && count <= hiddenEnd ? '*' : digit;
  });
}
