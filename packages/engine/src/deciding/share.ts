import { type Rule, shareWhole } from '@ringfence/policy';
import type { SubjectId } from '../record.ts';

const offsetBasis = 0x811c9dc5;
const prime = 0x01000193;

/**
 * Whether the rule is live for this client. By a hash of rule and client: the same answer for ever, other clients for
 * another rule, and whoever is in a share is in every larger one of the rule.
 *
 * Source: FNV-1a, http://www.isthe.com/chongo/tech/comp/fnv/, finished as MurmurHash3 is, so that the last characters
 * of a name count as much as the first
 */
export function isInShare({ reason, share }: Pick<Rule, 'reason' | 'share'>, subject: SubjectId): boolean {
  return hashOf(`${reason} ${subject}`) % shareWhole < share;
}

function hashOf(text: string): number {
  let hash = offsetBasis;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), prime);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}
