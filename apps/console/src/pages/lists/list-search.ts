import { defined, textMember, wordMember } from '../../url/search-members.ts';

export const itemStates = ['present', 'ended'] as const;

/** Filters of the items, stored in the address. */
export interface ListSearch {
  readonly state?: (typeof itemStates)[number];
  readonly text?: string;
}

export function readListSearch(search: Readonly<Record<string, unknown>>): ListSearch {
  return defined({ state: wordMember(itemStates, search['state']), text: textMember(search['text']) });
}
