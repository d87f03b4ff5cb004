import { maskAddress, maskFacts } from '../../access/audit/personal.ts';
import type { Masking } from './masking.ts';

/** Masks the values of a list item for the caller; `of` names the facts whose values the list contains. */
export function maskListItems(
  view: Masking,
  { of, isAddress }: { readonly of: readonly string[]; readonly isAddress: boolean },
  parts: readonly string[],
): readonly string[] {
  if (!view.isMasked) return parts;
  if (isAddress) return parts.map(maskAddress);
  return parts.map((part, at) => maskFacts({ [of[at] ?? '']: part })[of[at] ?? ''] ?? part);
}
