import type { Input } from '../../api/call.ts';
import { verdicts } from './verdict.ts';
import { countMember, defined, textMember, wordMember } from '../../url/search-members.ts';

export const alertViews = ['queue', 'mine', 'closed', 'suppressed'] as const;
export type AlertView = (typeof alertViews)[number];

export const alertSorts = ['queue', 'risk', 'money', 'oldest', 'newest'] as const;
const outcomes = [...verdicts, 'suppressed'] as const;

/** The filters and the order of the list, named as in the API. */
export interface AlertFilters {
  readonly sort?: (typeof alertSorts)[number];
  /** `me`, `none`, `any` or the e-mail address of a person. */
  readonly assigned?: string;
  readonly reason?: number;
  readonly channel?: number;
  readonly riskMin?: number;
  readonly currency?: string;
  readonly amountMin?: number;
  /** Minutes. */
  readonly olderThan?: number;
  readonly due?: 'over';
  readonly outcome?: (typeof outcomes)[number];
}

/** The view of the list, its filters, and the open alert. */
export interface AlertsSearch extends AlertFilters {
  readonly view?: AlertView;
  readonly alert?: string;
}

export function readAlertFilters(search: Readonly<Record<string, unknown>>): AlertFilters {
  const assigned = textMember(search['assigned']);
  const currency = textMember(search['currency'])?.toUpperCase();
  const channel = search['channel'] === 0 || search['channel'] === '0' ? 0 : countMember(search['channel']);
  const riskMin = countMember(search['riskMin']);
  return defined({
    sort: wordMember(alertSorts, search['sort']),
    assigned: assigned !== undefined && /^(?:me|none|any|[^\s@]+@[^\s@]+)$/.test(assigned) ? assigned : undefined,
    reason: countMember(search['reason']),
    channel,
    riskMin: riskMin !== undefined && riskMin <= 100 ? riskMin : undefined,
    currency: currency !== undefined && /^[A-Z]{3}$/.test(currency) ? currency : undefined,
    amountMin: countMember(search['amountMin']),
    olderThan: countMember(search['olderThan']),
    due: wordMember(['over'] as const, search['due']),
    outcome: wordMember(outcomes, search['outcome']),
  });
}

export function readAlertsSearch(search: Readonly<Record<string, unknown>>): AlertsSearch {
  return {
    ...defined({ view: wordMember(alertViews, search['view']), alert: textMember(search['alert']) }),
    ...readAlertFilters(search),
  };
}

/** What a view shows: its filters, within what its tab shows. */
export function alertQueryOf(
  view: Exclude<AlertView, 'suppressed'>,
  { outcome, ...filters }: AlertFilters,
): Input<'listAlerts'>['query'] {
  switch (view) {
    case 'queue':
      return { ...filters, state: 'open' };
    case 'mine':
      return { ...filters, state: 'open', assigned: 'me' };
    case 'closed': {
      const { sort: _order, assigned: _person, due: _due, ...of } = filters;
      return { ...of, state: 'closed', ...(outcome === undefined ? {} : { outcome }) };
    }
  }
}
