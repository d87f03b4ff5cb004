import type { Outcome } from '../../api/operations.generated.ts';
import { defined, wordMember } from '../../url/search-members.ts';

export const openStates = ['waiting', 'unmatched'] as const satisfies readonly Outcome['state'][];

/** First those of reports that still wait, then those of the others. */
export const outcomeReasons = [
  'noOperation',
  'notDecided',
  'notLookedUp',
  'tooLate',
  'severalOperations',
  'noAddress',
  'unknownEvent',
  'foreignEvent',
  'unusableEvent',
  'otherClient',
  'otherEvent',
  'unknownAction',
  'foreignAction',
  'noAction',
  'erasedClient',
] as const satisfies readonly NonNullable<Outcome['reasonCode']>[];

/** Filters of the list of unmatched outcomes, stored in the address. */
export interface OutcomesSearch {
  readonly state?: (typeof openStates)[number];
  readonly reasonCode?: (typeof outcomeReasons)[number];
}

export function readOutcomesSearch(search: Readonly<Record<string, unknown>>): OutcomesSearch {
  return defined({
    state: wordMember(openStates, search['state']),
    reasonCode: wordMember(outcomeReasons, search['reasonCode']),
  });
}
