import type { EventFilter } from '../api/events/event-filter.ts';
import type { EventSummary } from '../api/events/event-schema.ts';
import type { ListedEvent, StoredEvents } from '../api/events/stored-events.ts';
import type { Workspace } from '../tenancy/workspaces/workspace.ts';

export interface TailedEvent {
  readonly workspace: Workspace;
  readonly summary: EventSummary;
  /** Events before this one were skipped, because they came faster than a person can read. */
  readonly afterGap: boolean;
}

/** The most events per query and workspace: a person cannot read more. */
const pageMax = 200;
/** Operations that wait for their login are shown once decided; at most this many are remembered per workspace. */
const waitingMax = 1_000;

interface Place {
  readonly workspace: Workspace;
  /** Every event up to this offset was shown, except those in `waiting`. `undefined` before the first query. */
  shownTo: number | undefined;
  readonly waiting: Set<string>;
}

/** Follows the events of workspaces and returns every event once, when it is decided. */
export class Tail {
  readonly #events: Pick<StoredEvents, 'list'>;
  readonly #places: readonly Place[];
  readonly #filter: EventFilter;
  readonly #last: number;

  /** @param of `last`: the number of earlier events to show, for each workspace */
  constructor(
    events: Pick<StoredEvents, 'list'>,
    of: { readonly workspaces: readonly Workspace[]; readonly filter: EventFilter; readonly last: number },
  ) {
    this.#events = events;
    this.#filter = of.filter;
    this.#last = of.last;
    this.#places = of.workspaces.map((workspace) => ({ workspace, shownTo: undefined, waiting: new Set() }));
  }

  /** The new events since the last call, by log time; the first call returns the `last` earlier events. */
  async next(): Promise<readonly TailedEvent[]> {
    const found: TailedEvent[] = [];
    for (const place of this.#places) {
      found.push(...(await this.#look(place)));
    }
    return found.toSorted((a, b) => a.summary.loggedAt.localeCompare(b.summary.loggedAt));
  }

  async #look(place: Place): Promise<readonly TailedEvent[]> {
    const { workspace, waiting } = place;
    const isFirst = place.shownTo === undefined;
    const shownTo = place.shownTo ?? -1;
    const page = isFirst
      ? await this.#lastOf(workspace, Math.max(1, this.#last))
      : (await this.#events.list(workspace, this.#filter, { limit: pageMax })).events;
    const fresh = page.filter(({ offset, summary }) => offset > shownTo || waiting.has(summary.id));
    const hasGap = !isFirst && page.length === pageMax && page.every(({ offset }) => offset > shownTo);
    place.shownTo = Math.max(shownTo, ...page.map(({ offset }) => offset));
    const shown: TailedEvent[] = [];
    for (const { summary } of fresh.toReversed()) {
      if (summary.status === 'waiting' && waiting.size < waitingMax) {
        waiting.add(summary.id);
      } else {
        waiting.delete(summary.id);
        shown.push({ workspace, summary, afterGap: hasGap && shown.length === 0 });
      }
    }
    return isFirst && this.#last === 0 ? [] : shown;
  }
  /** The last matching events, however far back: repeats the query, since one query looks back only a bounded way. */
  async #lastOf(workspace: Workspace, limit: number): Promise<readonly ListedEvent[]> {
    const found: ListedEvent[] = [];
    let before: number | undefined;
    do {
      const { events, lookedTo } = await this.#events.list(workspace, this.#filter, {
        limit: limit - found.length,
        before,
      });
      found.push(...events);
      before = lookedTo;
    } while (before !== undefined && found.length < limit);
    return found;
  }
}
