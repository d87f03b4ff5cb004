import { countMember, defined, textMember, wordMember } from '../../url/search-members.ts';

export const policyTabs = ['rules', 'text', 'tests', 'models', 'health', 'versions'] as const;
export type PolicyTab = (typeof policyTabs)[number];

/** The tab and, in the text, the file and line. */
export interface PolicySearch {
  readonly tab?: PolicyTab;
  readonly file?: string;
  readonly line?: number;
  /** Filter of the rules. */
  readonly find?: string;
  /** Opens the form for a new rule with this condition. */
  readonly when?: string;
  /** The open training. */
  readonly training?: number;
}

/** The longest condition that the policy language has. */
export const whenLengthMax = 4_000;

export function readPolicySearch(search: Readonly<Record<string, unknown>>): PolicySearch {
  return defined({
    tab: wordMember(policyTabs, search['tab']),
    file: textMember(search['file']),
    line: countMember(search['line']),
    find: textMember(search['find']),
    when: boundedMember(search['when']),
    training: countMember(search['training']),
  });
}

function boundedMember(value: unknown): string | undefined {
  const text = textMember(value);
  return text !== undefined && text.length <= whenLengthMax ? text : undefined;
}
