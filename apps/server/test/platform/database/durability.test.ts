import { describe, expect, it } from 'vitest';
import { type DurabilitySettings, judgeDurability } from '../../../src/platform/database/durability.ts';

const sound: DurabilitySettings = {
  versionNumber: 150_000,
  fsync: 'on',
  fullPageWrites: 'on',
  synchronousCommit: 'on',
  dataChecksums: 'on',
};

describe('judgeDurability', () => {
  it('accepts the defaults of PostgreSQL 15 and newer', () => {
    expect(judgeDurability(sound)).toEqual({ refusals: [], warnings: [] });
    expect(judgeDurability({ ...sound, versionNumber: 180_004 }).refusals).toEqual([]);
  });

  it('refuses a version before 15', () => {
    expect(judgeDurability({ ...sound, versionNumber: 140_012 }).refusals).toEqual([
      'PostgreSQL 14.12 is older than 15',
    ]);
  });

  it.each(['on', 'local', 'remote_write', 'remote_apply'])(
    'accepts synchronous_commit = %s, which waits for the disk',
    (value) => {
      expect(judgeDurability({ ...sound, synchronousCommit: value }).refusals).toEqual([]);
    },
  );

  it('only warns without data checksums', () => {
    const judged = judgeDurability({ ...sound, dataChecksums: 'off' });
    expect(judged.refusals).toEqual([]);
    expect(judged.warnings).toHaveLength(1);
  });
});
