import { dayMs } from '@ringfence/contract';
import { stabilityIndex } from '@ringfence/models';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { addModelCounts } from '../../src/decide/model-days.ts';
import { inTransaction } from '../../src/platform/database/transactions.ts';
import { managementKit, type ManagementKit, problemOf } from './support/management-kit.ts';

let kit: ManagementKit;
let todayAtMs: number;

const population = { edges: [10.5, 100], counts: [5_000, 4_000, 1_000, 0] };

beforeAll(async () => {
  kit = await managementKit();
  kit.standStill();
  const nowMs = kit.deps.logNow();
  todayAtMs = nowMs - (nowMs % dayMs);
  for (const [sha256, daysAgo, counts] of [
    ['aa', 0, [10, 0, 0, 1]],
    ['aa', 1, [500, 400, 100, 0]],
    ['aa', 1, [500, 100, 400, 0]],
    ['bb', 40, [5, 4, 1, 0]],
    ['bb', 100, [5, 4, 1, 0]],
  ] as const) {
    const day = { model: 'cards', sha256, dayAtMs: todayAtMs - daysAgo * dayMs, population };
    await inTransaction(kit.pool, (client) =>
      addModelCounts(
        client,
        kit.workspace.id,
        ['', 'amount'].map((input) => ({ ...day, input, counts: Float64Array.from(counts) })),
      ),
    );
  }
});

afterAll(() => kit.close());

function dayText(daysAgo: number): string {
  return new Date(todayAtMs - daysAgo * dayMs).toISOString().slice(0, 10);
}

interface Drift {
  readonly from: string;
  readonly artifacts: readonly { readonly sha256: string; readonly inputs: readonly { readonly days: object[] }[] }[];
}

describe('the drift of a model', () => {
  it('is shown by artifact, input and day of the last month, newest first', async () => {
    const days = [
      { day: dayText(0), values: 11, counts: [10, 0, 0, 1] },
      {
        day: dayText(1),
        values: 2_000,
        counts: [1_000, 500, 500, 0],
        index: stabilityIndex(population.counts, [1_000, 500, 500, 0]),
      },
    ];
    const bins = { edges: population.edges, expected: population.counts };
    expect(await kit.get('models/cards/drift')).toEqual({
      from: new Date(todayAtMs - 29 * dayMs).toISOString(),
      to: new Date(todayAtMs + dayMs).toISOString(),
      warning: 0.1,
      alarm: 0.25,
      artifacts: [
        {
          sha256: 'aa',
          inputs: [
            { ...bins, days },
            { ...bins, input: 'amount', days },
          ],
        },
      ],
    });
  });

  it('goes back a quarter at most, and to other artifacts', async () => {
    const from = new Date(todayAtMs - 300 * dayMs).toISOString();
    const { artifacts, ...range } = await kit.get<Drift>(`models/cards/drift?from=${from}`);
    expect(range.from).toBe(new Date(todayAtMs - 91 * dayMs).toISOString());
    expect(artifacts.map(({ sha256 }) => sha256)).toEqual(['aa', 'bb']);
    expect(artifacts[1]!.inputs[0]!.days).toHaveLength(1);
  });

  it('is empty for a model without counts, and unknown for another workspace', async () => {
    expect(await kit.get('models/other/drift')).toMatchObject({ artifacts: [] });
    expect(problemOf(await kit.call('GET', '/workspaces/nothere/models/cards/drift')).code).toBe('thing.unknown');
  });
});
