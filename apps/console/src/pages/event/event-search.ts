import { defined } from '../../url/search-members.ts';

/** State of the event page, stored in the address. */
export interface EventSearch {
  /** Whether the simulation is open. */
  readonly suppose?: true;
}

export function readEventSearch(search: Readonly<Record<string, unknown>>): EventSearch {
  return defined({ suppose: search['suppose'] === true ? (true as const) : undefined });
}
