import { defined, wordMember } from '../../url/search-members.ts';

export const holdViews = ['open', 'ended'] as const;

/** Which holds are listed, stored in the address. */
export interface HoldsSearch {
  readonly state?: (typeof holdViews)[number];
}

export function readHoldsSearch(search: Readonly<Record<string, unknown>>): HoldsSearch {
  return defined({ state: wordMember(holdViews, search['state']) });
}
