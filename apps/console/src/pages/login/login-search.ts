import { defined, textMember, wordMember } from '../../url/search-members.ts';

/** Reasons why an OpenID login failed, as the service names them. */
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
  /** Where to go after the login. */
  readonly to?: string;
  /** Known codes only: a link must not inject text into this page. */
  readonly openId?: (typeof openIdReasons)[number];
  readonly requestId?: string;
}

export function readLoginSearch(search: Readonly<Record<string, unknown>>): LoginSearch {
  const to = textMember(search['to']);
  const requestId = textMember(search['requestId']);
  return defined({
    // Addresses of this console only, to prevent open redirects.
    to: to !== undefined && /^\/(?!\/)/.test(to) ? to : undefined,
    openId: wordMember(openIdReasons, search['openId']),
    requestId: requestId !== undefined && /^[\w-]{1,64}$/.test(requestId) ? requestId : undefined,
  });
}
