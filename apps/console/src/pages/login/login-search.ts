import { defined, textMember, wordMember } from '../../url/search-members.ts';

/** Why the bank's provider did not let somebody in, as the service names it. */
const openIdReasons = [
  'late',
  'unconfirmed',
  'noEmail',
  'unreachable',
  'nothingGranted',
  'disabled',
  'taken',
  'full',
  'tooOften',
  'failed',
] as const;

export interface LoginSearch {
  /** Where somebody wanted to go. */
  readonly to?: string;
  /** Only words that are known: nobody can put a text of his own on this page by a link. */
  readonly openId?: (typeof openIdReasons)[number];
  readonly requestId?: string;
}

export function readLoginSearch(search: Readonly<Record<string, unknown>>): LoginSearch {
  const to = textMember(search['to']);
  const requestId = textMember(search['requestId']);
  return defined({
    // Only addresses of this console: a link must not lead elsewhere after the log-in.
    to: to !== undefined && /^\/(?!\/)/.test(to) ? to : undefined,
    openId: wordMember(openIdReasons, search['openId']),
    requestId: requestId !== undefined && /^[\w-]{1,64}$/.test(requestId) ? requestId : undefined,
  });
}
