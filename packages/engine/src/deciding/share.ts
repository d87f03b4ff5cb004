import { type Rule, shareWhole } from '@ringfence/policy';
import { textHash } from '../bytes/text-hash.ts';
import type { SubjectId } from '../record.ts';

/**
 * Whether the rule is live for this client. Decided by a hash of rule and client, so the result never changes, differs
 * between rules, and a client that is in a share is in every larger share of the same rule.
 */
export function isInShare({ reason, share }: Pick<Rule, 'reason' | 'share'>, subject: SubjectId): boolean {
  return (textHash(`${reason} ${subject}`) >>> 0) % shareWhole < share;
}
