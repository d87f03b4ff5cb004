import { fraudCodesDefault, type OutcomeMessage, type OutcomeName } from '@ringfence/contract';
import type { OutcomeReport } from '@ringfence/engine';
import type { WorkspaceSettings } from '../tenancy/workspaces/workspace.ts';

type Settings = Pick<WorkspaceSettings, 'outcomes'>;

/** What changes labels and blocks. The license key travels in every webhook, so it may report these only if it is set so. */
const guardedOutcomes: ReadonlySet<OutcomeName> = new Set([
  'fraud',
  'legitimate',
  'chargeback',
  'unblocked',
  'retracted',
]);

/** Whether the license key may report an outcome. */
export function keyMayReport(outcome: OutcomeName, { outcomes }: Settings): boolean {
  return outcomes?.keyMayLabel === true || !guardedOutcomes.has(outcome);
}

/**
 * The label that an outcome gives its event; `none` takes back the label of an earlier report, `undefined` changes
 * nothing. A chargeback whose code means fraud is fraud from its opening on, until the payment wins the dispute.
 */
export function labelOf({ outcome, code, stage }: OutcomeMessage, settings: Settings): OutcomeReport['label'] {
  switch (outcome) {
    case 'fraud':
    case 'legitimate':
      return outcome;
    case 'retracted':
      return 'none';
    case 'chargeback':
      if (!isFraudCode(code, settings)) return undefined;
      return stage === 'won' ? 'none' : 'fraud';
    default:
      return undefined;
  }
}

/** Codes are compared without regard to case and to spaces around them. */
function isFraudCode(code: string | undefined, { outcomes }: Settings): boolean {
  if (code === undefined) return false;
  const folded = code.trim().toLowerCase();
  return (outcomes?.fraudCodes ?? fraudCodesDefault).some((fraud) => fraud.toLowerCase() === folded);
}
