import type { EventKind } from '@ringfence/contract';
import { explainKept, type ModelExplanation } from '@ringfence/policy';
import type { Pool } from 'pg';
import { policiesOf } from '../policies/policy-cache.ts';
import { PolicyVersionError } from '../policies/stored-policy.ts';
import type { DecisionDetail } from './event-opener.ts';

/** A decision, and the event that it is about. */
export interface ExplainedDecision {
  /** `undefined` if no rule fired, or it cannot be read. */
  readonly decision: DecisionDetail | undefined;
  readonly policyVersion: number;
  readonly kind: EventKind;
  /** Of the order. */
  readonly currency: string | undefined;
}

/**
 * Explains models by the inputs that a decision keeps: of each model that a fired rule reads.
 *
 * @returns nothing if its policy has no model for this kind of event, `undefined` if only a replay can tell
 */
export async function keptExplanations(
  pool: Pool,
  workspaceId: string,
  { decision, policyVersion, kind, currency }: ExplainedDecision,
): Promise<readonly ModelExplanation[] | undefined> {
  try {
    const policy = await policiesOf(pool).policy(workspaceId, policyVersion);
    if (!policy.models.some(({ on }) => on.has(kind))) return [];
    const kept = explainKept(policy, decision?.fired ?? [], currency);
    return kept.length === 0 ? undefined : kept;
  } catch (error) {
    if (error instanceof PolicyVersionError) return undefined;
    throw error;
  }
}
