import { UsageError } from './cli-io.ts';

/** The largest number of a rule, as in the wire contract. */
export const reasonMax = 2_147_483_647;

/** A number from the command line, digits only. @throws UsageError that names the option */
export function wholeNumber(
  name: string,
  text: string,
  { min = 1, max }: { readonly min?: number; readonly max: number },
): number {
  const value = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
  if (value >= min && value <= max) return value;
  throw new UsageError(`${name}: expected a whole number from ${min} to ${max}, found "${text}"`);
}
