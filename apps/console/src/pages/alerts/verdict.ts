import { Check, CircleHelp, ShieldX } from 'lucide-react';
import type { Alert } from '../../api/operations.generated.ts';

/** What a person decides an alert to be. */
export type Verdict = Exclude<NonNullable<Alert['outcome']>, 'suppressed'>;

export const verdicts = ['fraud', 'legitimate', 'inconclusive'] as const satisfies readonly Verdict[];

/** The sign, the key and the colour of each. */
export const verdictLooks = {
  fraud: { sign: ShieldX, key: 'f', colour: 'text-bad' },
  legitimate: { sign: Check, key: 'l', colour: 'text-fence' },
  inconclusive: { sign: CircleHelp, key: 'i', colour: 'text-soft' },
} as const;
