import { defined, textMember, wordMember } from '../../url/search-members.ts';

/** What the audit log is narrowed to; it stands in the address. */
export interface AuditSearch {
  /** The whole installation: log-ins, accounts, every workspace. Left out: the open workspace. */
  readonly scope?: 'all';
  readonly actor?: string;
  readonly action?: string;
  readonly target?: string;
}

export function readAuditSearch(search: Readonly<Record<string, unknown>>): AuditSearch {
  return defined({
    scope: wordMember(['all'] as const, search['scope']),
    actor: textMember(search['actor']),
    action: textMember(search['action']),
    target: textMember(search['target']),
  });
}
