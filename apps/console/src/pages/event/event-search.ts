import { defined } from '../../url/search-members.ts';

/** What the page of an event shows beside it; it stands in the address. */
export interface EventSearch {
  /** The event with other values. */
  readonly suppose?: true;
}

export function readEventSearch(search: Readonly<Record<string, unknown>>): EventSearch {
  return defined({ suppose: search['suppose'] === true ? (true as const) : undefined });
}
