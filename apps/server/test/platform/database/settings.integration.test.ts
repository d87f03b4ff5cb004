import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { Place } from '../../../src/platform/database/embedded/data-directory.ts';
import { writeSettings } from '../../../src/platform/database/embedded/settings.ts';

it.each([
  ['linux', false],
  ['darwin', true],
] as const)('on %s a commit is flushed through the disk cache', async (platform, writesThrough) => {
  const folder = await mkdtemp(join(tmpdir(), 'ringfence-settings-'));
  const place: Place = { folder, dataFolder: join(folder, 'data'), socketFolder: join(folder, 'run'), user: undefined };
  const text = await readFile(await writeSettings(place, platform), 'utf8');
  expect(text).toContain('\nfsync = on\n');
  // Linux' default, fdatasync, flushes the disk's cache; macOS's does not.
  expect(text.includes('\nwal_sync_method = fsync_writethrough\n')).toBe(writesThrough);
  await rm(folder, { recursive: true });
});
