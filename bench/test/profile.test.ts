import { describe, expect, it } from 'vitest';
import { summarise } from '../src/profile/summary.ts';

const frame = (id: number, functionName: string, url: string): object => ({
  id,
  callFrame: { functionName, url, lineNumber: 9 },
});

describe('summarise', () => {
  const profile = {
    nodes: [
      frame(1, 'step', 'file:///srv/ringfence/packages/engine/src/step.ts'),
      frame(2, 'read', 'file:///srv/ringfence/apps/server/src/door/route.ts'),
      frame(3, 'parse', 'file:///srv/ringfence/node_modules/pg-protocol/dist/parser.js'),
      frame(4, '(idle)', ''),
      frame(5, '(garbage collector)', ''),
      frame(6, 'writev', 'node:internal/stream_base_commons'),
    ],
    samples: [1, 1, 2, 3, 4, 5, 6],
    timeDeltas: [3_000, 1_000, 2_000, 1_000, 50_000, 1_000, 500],
  };

  it('sums self time by room, library and part of Node, without idle time', () => {
    const { busyMs, parts } = summarise([profile as unknown as Parameters<typeof summarise>[0][number]]);
    expect(busyMs).toBe(8.5);
    expect(parts).toEqual([
      ['packages/engine/src', 4],
      ['apps/server/src/door', 2],
      ['pg-protocol', 1],
      ['(garbage collector)', 1],
      ['node (internal/stream_base_commons)', 0.5],
    ]);
  });
});
