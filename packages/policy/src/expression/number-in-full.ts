/** Suffixes that shorten a number, with the number of zeros that they stand for. */
const zerosOf: ReadonlyMap<string, number> = new Map([
  ['', 0],
  ...['k', 'K'].map((unit) => [unit, 3] as const),
  ...['m', 'M', 'mm', 'MM', 'mio', 'Mio'].map((unit) => [unit, 6] as const),
  ...['bn', 'Bn', 'BN'].map((unit) => [unit, 9] as const),
]);

/**
 * Rewrites a number in the notation of policies: `1k` is 1000, `10.000,50` is 10000.50, `1_000` is 1000, `1,5` is 1.5.
 * `undefined` if it is ambiguous, or not a number. A single point is read as a decimal point.
 */
export function numberInFull(text: string): string | undefined {
  const [, written = '', unit = ''] = /^(\d[\d.,_']*)\s*([a-z]*)$/i.exec(text) ?? [];
  const number = plainNumber(written);
  const zeros = zerosOf.get(unit);
  return number === undefined || zeros === undefined ? undefined : scaled(number, zeros);
}

/** With only a decimal point left: groups of three digits are joined, and a remaining comma becomes the point. */
function plainNumber(written: string): string | undefined {
  const signs = written.replaceAll(/\d/g, '');
  const last = signs.at(-1) ?? '';
  const isGrouped = /^\d{1,3}(?:[.,_']\d{3})+$/.test(written) && new Set(signs).size === 1;
  if (isGrouped && (signs.length > 1 || last === '_' || last === "'")) return written.replaceAll(/\D/g, '');
  if (/^\d+\.?$/.test(written)) return written.replace('.', '');
  const [, whole = '', decimals = ''] = /^(\d[\d.,_']*)[.,](\d+)$/.exec(written) ?? [];
  // If both separators are equal, it is ambiguous which one is the decimal separator.
  if (decimals === '' || signs.slice(0, -1).includes(last)) return undefined;
  return `${whole.replaceAll(/\D/g, '')}.${decimals}`;
}

function scaled(number: string, zeros: number): string {
  if (zeros === 0) return number;
  const [whole = '', decimals = ''] = number.split('.');
  const digits = whole + decimals.slice(0, zeros).padEnd(zeros, '0');
  return decimals.length > zeros ? `${digits}.${decimals.slice(zeros)}` : digits;
}
