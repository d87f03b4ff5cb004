import { expect, it } from 'vitest';
import { connectionsWithin, openFilesMax } from '../../../src/platform/http/open-files.ts';

it.each([
  { filesMax: undefined, threads: 1, ingest: 10_000, management: 1_000 },
  { filesMax: 65_536, threads: 1, ingest: 10_000, management: 1_000 },
  { filesMax: 4_096, threads: 1, ingest: 3_200, management: 256 },
  { filesMax: 4_096, threads: 4, ingest: 752, management: 256 },
  { filesMax: 1_024, threads: 1, ingest: 320, management: 64 },
  { filesMax: 256, threads: 1, ingest: 32, management: 16 },
  { filesMax: 4, threads: 8, ingest: 1, management: 16 },
])('$filesMax open files and $threads threads leave $ingest connections each, and $management', (one) => {
  const { filesMax, threads, ingest, management } = one;
  expect(connectionsWithin(filesMax, { ingest: 10_000, threads })).toEqual({ ingest, management });
});

it('connections and what answers those above them fit into the limit, beside what is reserved', () => {
  for (const [filesMax, threads] of [
    [1_024, 1],
    [4_096, 4],
    [65_536, 2],
    [20_000, 3],
  ] as const) {
    const { ingest, management } = connectionsWithin(filesMax, { ingest: 10_000, threads });
    expect((ingest + 64) * threads + management + 64 + 512).toBeLessThanOrEqual(filesMax);
  }
});

it.runIf(process.platform === 'linux')('the limit of this process is read', () => {
  expect(openFilesMax() ?? Infinity).toBeGreaterThan(64);
});
