import { type Rule, shareWhole } from '@ringfence/policy';
import { textHash } from '../store/memory/text-hash.ts';
import type { SubjectId } from '../record.ts';

/**
 * Whether the rule is live for this client. By a hash of rule and client: the same answer for ever, other clients for
 * another rule, and whoever is in a share is in every larger one of the rule.
 */
export function isInShare({ reason, share }: Pick<Rule, 'reason' | 'share'>, subject: SubjectId): boolean {
  return (textHash(`${reason} ${subject}`) >>> 0) % shareWhole < share;
}
