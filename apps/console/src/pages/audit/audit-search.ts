import { defined, textMember, wordMember } from '../../url/search-members.ts';

/** Filters of the audit log, stored in the address. */
export interface AuditSearch {
  /** The whole installation: logins, accounts, every workspace. Absent: the open workspace. */
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
