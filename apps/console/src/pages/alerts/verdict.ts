import type { Alert } from '../../api/operations.generated.ts';

/** What a person decides an alert to be. */
export type Verdict = Exclude<NonNullable<Alert['outcome']>, 'suppressed'>;

export const verdicts = ['fraud', 'legitimate', 'inconclusive'] as const satisfies readonly Verdict[];
