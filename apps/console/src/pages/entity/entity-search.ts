import { defined, wordMember } from '../../url/search-members.ts';

export const entityTabs = ['timeline', 'habits', 'graph'] as const;
export type EntityTab = (typeof entityTabs)[number];

export function readEntitySearch(search: Readonly<Record<string, unknown>>): { readonly tab?: EntityTab } {
  return defined({ tab: wordMember(entityTabs, search['tab']) });
}
