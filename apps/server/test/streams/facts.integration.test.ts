/** What leaves, from a filled installation: every fact once and in order, by its schema, with nothing personal unless shown. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { patience } from '../../../../tools/testing/patience.ts';
import { masked } from '../../src/api/server/masking.ts';
import type { Fact } from '../../src/streams/fact.ts';
import { messageSchemas, reducedMessage } from '../../src/streams/message-schemas.ts';
import { sourcesOf } from '../../src/streams/open-senders.ts';
import { streamKinds, type StreamKind } from '../../src/streams/stream-settings.ts';
import { consoleKit, type ConsoleKit } from '../console/support/console-kit.ts';
import { fillInstallation } from '../sealed/fill-installation.ts';
import { mistakesIn } from './support/check-message.ts';

let kit: ConsoleKit;
let folder: string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'ringfence-facts-'));
  kit = await consoleKit();
  await fillInstallation(kit, folder);
  await kit.fed();
}, patience.timeout * 4);
afterAll(async () => {
  await kit.close();
  rmSync(folder, { recursive: true, force: true });
});

/** All facts of a kind, read in pages of this size, as a sender reads them. */
async function readAll(kind: StreamKind, limit: number): Promise<readonly Fact[]> {
  const source = sourcesOf(
    { ...kit, registry: kit.deps.registry, logger: kit.deps.logger, now: kit.deps.now },
    { workspaces: undefined },
  )[kind];
  const facts: Fact[] = [];
  for (let from = 0; ;) {
    const page = await source.read(kind === 'audit' ? undefined : kit.workspace, from, limit);
    facts.push(...page.facts);
    if (!page.isMore) return facts;
    expect(page.next).toBeGreaterThan(from);
    from = page.next;
  }
}

describe.each(streamKinds)('%s', (kind) => {
  it('leave in order, each once, however they are read', async () => {
    const whole = await readAll(kind, 1_000);
    expect(whole.length).toBeGreaterThan(3);
    expect(await readAll(kind, 2)).toEqual(whole);
    const positions = whole.map(({ position }) => position);
    expect(positions).toEqual([...new Set(positions)].toSorted((a, b) => a - b));
    expect(new Set(whole.map(({ message }) => message.id)).size).toBe(whole.length);
  });

  it('are as their schema says, shown and masked', async () => {
    for (const { message } of await readAll(kind, 1_000)) {
      for (const sent of [message, masked(messageSchemas[kind], message)]) {
        expect(mistakesIn(kind, sent), JSON.stringify(sent)).toEqual([]);
      }
    }
  });

  it('are checked to the last member', async () => {
    const { message } = (await readAll(kind, 1_000)).find((fact) => fact.message['event'] ?? fact.message.id)!;
    const inside = Object.entries(message).find(([, member]) => typeof member === 'object');
    const odd = {
      ...message,
      ...(inside && { [inside[0]]: { ...(inside[1] as object), odd: 1 } }),
      ...(inside ? {} : { odd: 1 }),
    };
    expect(mistakesIn(kind, odd)).not.toEqual([]);
    const { sequence: _, ...lacking } = message;
    expect(mistakesIn(kind, lacking)).not.toEqual([]);
  });

  it('say nothing personal unless it is shown', async () => {
    const shown = JSON.stringify((await readAll(kind, 1_000)).map(({ message }) => message));
    const hidden = JSON.stringify(
      (await readAll(kind, 1_000)).map(({ message }) => masked(messageSchemas[kind], message)),
    );
    const personal = /"ana"|"bob"|s-ana|of evt_|B1\/1|about alr_/;
    expect(personal.test(shown)).toBe(kind !== 'audit');
    expect(hidden).not.toMatch(personal);
  });
});

describe('what leaves', () => {
  it('has every decision, action and alert of the database', async () => {
    const idsOf = async (kind: StreamKind): Promise<readonly string[]> =>
      (await readAll(kind, 1_000)).map(({ message }) => message.id);
    const { items: events } = await kit.get<{ items: readonly { id: string }[] }>('events?limit=200');
    expect(new Set(await idsOf('decisions'))).toEqual(new Set(events.map(({ id }) => id)));
    const { items: actions } = await kit.get<{ items: readonly { id: string }[] }>('actions?limit=200');
    expect(new Set(await idsOf('actions'))).toEqual(new Set(actions.map(({ id }) => id)));
    const { items: alerts } = await kit.get<{ items: readonly { id: string }[] }>('alerts?limit=200');
    const told = (await readAll('alerts', 1_000)).map(({ message }) => message['alertId']);
    expect(new Set(told)).toEqual(new Set(alerts.map(({ id }) => id)));
  });

  it('tells the outcomes of events', async () => {
    const changes = new Set((await readAll('outcomes', 1_000)).map(({ message }) => message['change']));
    expect(changes).toEqual(new Set(['labelled', 'reported', 'holdProposed']));
  });

  it('is keyed by the hash of the client that webhooks carry', async () => {
    const keysOf = async (kind: StreamKind): Promise<ReadonlySet<string>> =>
      new Set(
        (await readAll(kind, 1_000)).filter(({ message }) => message['client'] !== undefined).map(({ key }) => key),
      );
    const decisions = await keysOf('decisions');
    expect(decisions.size).toBe(2);
    for (const kind of ['actions', 'alerts', 'outcomes'] as const) {
      for (const key of await keysOf(kind)) expect(decisions).toContain(key);
    }
  });

  it('says so when it is reduced', async () => {
    const [first] = await readAll('decisions', 1_000);
    const small = reducedMessage('decisions', first!.message) as { event: object; reduced: boolean };
    expect(small.reduced).toBe(true);
    expect(small.event).not.toHaveProperty('received');
    expect(JSON.stringify(small).length).toBeLessThan(JSON.stringify(first!.message).length);
  });
});
