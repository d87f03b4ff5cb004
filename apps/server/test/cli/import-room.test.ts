import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { refuseLittleRoom } from '../../src/cli/commands/import.ts';
import { databaseFolder, diskSpaceOf } from '../../src/platform/database/disk-space.ts';

const home = mkdtempSync(join(tmpdir(), 'ringfence-room-'));
afterAll(() => rmSync(home, { recursive: true, force: true }));

it('an import stops while a gigabyte is left for live events', () => {
  const room = { folder: '/data', sizeBytes: 2 ** 40 };
  expect(() => refuseLittleRoom({ ...room, freeBytes: 2 ** 30 })).not.toThrow();
  expect(() => refuseLittleRoom({ ...room, freeBytes: 2 ** 30 - 1 })).toThrow(
    'Less than 1 GiB is left on the disk of the database (/data), which live events need.',
  );
});

it('free space is checked on the disk of the database, even before it exists', async () => {
  expect(await databaseFolder(home)).toBe(home);
  expect(await databaseFolder(join(home, 'none'))).toBe(home);
  const { freeBytes, sizeBytes } = diskSpaceOf(home);
  expect(freeBytes).toBeGreaterThan(0);
  expect(freeBytes).toBeLessThan(sizeBytes);
});
