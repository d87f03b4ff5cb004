/** A text of an address, or nothing. Numbers are converted: the router parses `?client=42` as a number. */
export function textMember(value: unknown): string | undefined {
  if (typeof value === 'number') return String(value);
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** One of the known words, or nothing. */
export function wordMember<Word extends string>(words: readonly Word[], value: unknown): Word | undefined {
  return words.find((word) => word === value);
}

export function countMember(value: unknown): number | undefined {
  const number = typeof value === 'string' ? Number(value) : value;
  return typeof number === 'number' && Number.isSafeInteger(number) && number > 0 ? number : undefined;
}

/** An amount in plain digits, or nothing. */
export function amountMember(value: unknown): string | undefined {
  const text = textMember(value);
  return text !== undefined && /^\d{1,30}(?:\.\d{1,6})?$/.test(text) ? text : undefined;
}

/** Removes undefined members: an address has no empty ones. */
export function defined<Shape extends object>(
  shape: Shape,
): { [Name in keyof Shape]: Exclude<Shape[Name], undefined> } {
  return Object.fromEntries(Object.entries(shape).filter(([, value]) => value !== undefined)) as never;
}
