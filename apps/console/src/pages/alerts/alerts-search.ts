import { defined, textMember, wordMember } from '../../url/search-members.ts';

export const alertViews = ['queue', 'mine', 'closed', 'suppressed'] as const;
export type AlertView = (typeof alertViews)[number];

/** The view of the list and the open alert. */
export interface AlertsSearch {
  readonly view?: AlertView;
  readonly alert?: string;
}

export function readAlertsSearch(search: Readonly<Record<string, unknown>>): AlertsSearch {
  return defined({ view: wordMember(alertViews, search['view']), alert: textMember(search['alert']) });
}
