import { maskAddress, maskFacts } from '../../access/audit/personal.ts';
import type { View } from './masking.ts';

/** The values of an item as the caller may see them; `of` are the facts whose values the list holds. */
export function viewParts(
  view: View,
  { of, isAddress }: { readonly of: readonly string[]; readonly isAddress: boolean },
  parts: readonly string[],
): readonly string[] {
  if (!view.isMasked) return parts;
  if (isAddress) return parts.map(maskAddress);
  return parts.map((part, at) => maskFacts({ [of[at] ?? '']: part })[of[at] ?? ''] ?? part);
}
