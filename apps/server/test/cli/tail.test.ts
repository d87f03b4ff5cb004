import { describe, expect, it } from 'vitest';
import { Tail } from '../../src/cli/tail.ts';
import type { EventSummary } from '../../src/api/events/event-schema.ts';
import type { Workspace } from '../../src/tenancy/workspaces/workspace.ts';

const workspace = { id: 'abcdefgh' } as Workspace;

/** The events of the database, newest last. */
class Stored {
  readonly #events: EventSummary[] = [];
  /** The number of events that one query examines; it returns the matching ones. */
  looksAt = 1_000;
  isMeant: (offset: number) => boolean = () => true;

  add(status: EventSummary['status'] = 'decided'): void {
    const offset = this.#events.length;
    const loggedAt = new Date(1_700_000_000_000 + offset).toISOString();
    this.#events.push({ id: `evt_1_${offset}`, kind: 'operation', status, loggedAt, fired: [], shadow: [] });
  }

  decide(offset: number): void {
    this.#events[offset] = { ...this.#events[offset]!, status: 'decided' };
  }

  list(_: Workspace, __: object, page: { readonly limit: number; readonly before?: number | undefined }) {
    const { limit, before = this.#events.length } = page;
    const lookedTo = Math.max(0, before - this.looksAt);
    const all = this.#events.map((summary, offset) => ({ offset, summary })).slice(lookedTo, before);
    const events = all
      .toReversed()
      .filter(({ offset }) => this.isMeant(offset))
      .slice(0, limit);
    return Promise.resolve({ events, ...(events.length < limit && lookedTo > 0 ? { lookedTo } : {}) });
  }
}

function tailOf(stored: Stored, last = 10): () => Promise<readonly string[]> {
  const tail = new Tail(stored, { workspaces: [workspace], filter: {}, last });
  return async () =>
    (await tail.next()).map(({ summary, afterGap }) => `${afterGap ? '… ' : ''}${summary.id.slice(6)}`);
}

describe('a tail', () => {
  it('starts with the last events, then shows each new event once', async () => {
    const stored = new Stored();
    for (let i = 0; i < 5; i++) stored.add();
    const next = tailOf(stored, 2);
    expect(await next()).toEqual(['3', '4']);
    expect(await next()).toEqual([]);
    stored.add();
    expect(await next()).toEqual(['5']);
  });

  it('starts with the last matching events, however far back they are', async () => {
    const stored = new Stored();
    for (let i = 0; i < 9; i++) stored.add();
    stored.looksAt = 2;
    stored.isMeant = (offset) => offset % 4 === 0;
    const next = tailOf(stored, 3);
    expect(await next()).toEqual(['0', '4', '8']);
    expect(await next()).toEqual([]);
  });

  it('can start without earlier events', async () => {
    const stored = new Stored();
    stored.add();
    const next = tailOf(stored, 0);
    expect(await next()).toEqual([]);
    stored.add();
    expect(await next()).toEqual(['1']);
  });

  it('follows a log that was empty', async () => {
    const stored = new Stored();
    const next = tailOf(stored);
    expect(await next()).toEqual([]);
    stored.add();
    expect(await next()).toEqual(['0']);
  });

  it('shows a waiting event once it is decided', async () => {
    const stored = new Stored();
    const next = tailOf(stored);
    stored.add('waiting');
    stored.add();
    expect(await next()).toEqual(['1']);
    expect(await next()).toEqual([]);
    stored.decide(0);
    expect(await next()).toEqual(['0']);
    expect(await next()).toEqual([]);
  });

  it('marks where it skipped events', async () => {
    const stored = new Stored();
    const next = tailOf(stored);
    await next();
    stored.add();
    await next();
    for (let i = 0; i < 250; i++) stored.add();
    const shown = await next();
    expect([shown.length, shown[0], shown.at(-1)]).toEqual([200, '… 51', '250']);
  });
});
