import { amountMember, countMember, defined, textMember, wordMember } from '../../url/search-members.ts';

export const kinds = ['login', 'logout', 'operation'] as const;
export const statuses = ['accepted', 'waiting', 'decided', 'repeat', 'unreadable', 'quarantined'] as const;

/** Filters of the list of events, stored in the address. */
export interface EventsSearch {
  readonly kind?: (typeof kinds)[number];
  readonly status?: (typeof statuses)[number];
  readonly client?: string;
  readonly session?: string;
  readonly reason?: number;
  /** Decided by this policy version. */
  readonly policyVersion?: number;
  readonly channel?: number;
  /** Order amounts, in plain digits. */
  readonly amountMin?: string;
  readonly amountMax?: string;
  readonly currency?: string;
  /** `bank/number`, or the number alone. */
  readonly payee?: string;
  readonly payeeBank?: string;
  /** Two letters of ISO 3166-1. */
  readonly country?: string;
  /** Flagged events only. */
  readonly fired?: true;
  /** Search by condition instead of filters. */
  readonly by?: 'condition';
  /** The condition. */
  readonly condition?: string;
}

export function readEventsSearch(search: Readonly<Record<string, unknown>>): EventsSearch {
  return defined({
    kind: wordMember(kinds, search['kind']),
    status: wordMember(statuses, search['status']),
    client: textMember(search['client']),
    session: textMember(search['session']),
    reason: countMember(search['reason']),
    policyVersion: countMember(search['policyVersion']),
    channel: countMember(search['channel']),
    amountMin: amountMember(search['amountMin']),
    amountMax: amountMember(search['amountMax']),
    currency: textMember(search['currency']),
    payee: textMember(search['payee']),
    payeeBank: textMember(search['payeeBank']),
    country: countryMember(search['country']),
    fired: search['fired'] === true ? (true as const) : undefined,
    by: wordMember(['condition'], search['by']),
    condition: textMember(search['condition']),
  });
}

function countryMember(value: unknown): string | undefined {
  const code = textMember(value)?.toUpperCase();
  return code !== undefined && /^[A-Z]{2}$/.test(code) ? code : undefined;
}

/** Filters without the choice between filters and condition. */
export function filtersOf(search: EventsSearch): Omit<EventsSearch, 'by' | 'condition'> {
  const { by: _by, condition: _condition, ...filters } = search;
  return filters;
}
