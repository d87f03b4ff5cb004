import { countMember, defined, textMember, wordMember } from '../../url/search-members.ts';

export const policyTabs = ['rules', 'text', 'tests', 'health', 'versions'] as const;
export type PolicyTab = (typeof policyTabs)[number];

/** Which part of the policy is looked at, and in the text which file and line. */
export interface PolicySearch {
  readonly tab?: PolicyTab;
  readonly file?: string;
  readonly line?: number;
  /** What the rules are narrowed to. */
  readonly find?: string;
}

export function readPolicySearch(search: Readonly<Record<string, unknown>>): PolicySearch {
  return defined({
    tab: wordMember(policyTabs, search['tab']),
    file: textMember(search['file']),
    line: countMember(search['line']),
    find: textMember(search['find']),
  });
}
