import type { Action } from '../../api/operations.generated.ts';
import { countMember, defined, textMember, wordMember } from '../../url/search-members.ts';

/** States in the order of the lifecycle, final states last. */
export const actionStates = [
  'waiting',
  'due',
  'leased',
  'capped',
  'executed',
  'notExecuted',
  'dead',
  'expired',
  'dropped',
  'observed',
  'notAddressable',
  'erased',
] as const satisfies readonly Action['state'][];

/** Filters of the list of actions, stored in the address. */
export interface ActionsSearch {
  readonly state?: Action['state'];
  readonly client?: string;
  readonly reason?: number;
}

export function readActionsSearch(search: Readonly<Record<string, unknown>>): ActionsSearch {
  return defined({
    state: wordMember(actionStates, search['state']),
    client: textMember(search['client']),
    reason: countMember(search['reason']),
  });
}
