import { execFile } from 'node:child_process';
import { constants } from 'node:fs';
import { access, chmod, mkdir, mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { eventually } from './eventually.ts';

/**
 * A file system of its own, in a file, from which power can be taken: what was written and not synced is gone, as from
 * a machine that was unplugged. What the disk itself confirmed stays.
 */
export interface Disk {
  readonly path: string;
  /** Nothing reaches the disk from now on, and nothing is written back. */
  cutPower(): Promise<void>;
  /** Power is back, and the file system recovers. Nobody may have anything of it open, or will have given it back soon. */
  restorePower(): Promise<void>;
  remove(): Promise<void>;
}

const run = promisify(execFile);
/** The database with its write-ahead log, and room for what a run adds. Only what is written takes space. */
const size = 2 * 1024 ** 3;
/** Processes that were killed give back what they had open within milliseconds; a watchdog of theirs too. */
const freeTimeoutMs = 10_000;
/** `xfs_io` asks any file system to shut down at once, not only XFS. In Debian's `xfsprogs`; the others in every system. */
const programs = ['/usr/sbin/xfs_io', '/usr/sbin/mkfs.ext4', '/dev/loop-control'];

/** Why no disk can be made here; `undefined` when one can. */
export async function whyNoDisk(): Promise<string | undefined> {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return 'only root of a Linux can mount a disk';
  for (const program of programs) {
    const isThere = await access(program, constants.F_OK).then(
      () => true,
      () => false,
    );
    if (!isThere) return `there is no ${program}`;
  }
  return undefined;
}

/** @throws when it can't be made or mounted */
export async function makeDisk(name: string): Promise<Disk> {
  const folder = await mkdtemp(join(tmpdir(), `ringfence-disk-${name}-`));
  // As root, PostgreSQL runs as another user, who must be able to pass through.
  await chmod(folder, 0o711);
  const image = join(folder, 'image');
  const path = join(folder, 'disk');
  const file = await open(image, 'w');
  await file.truncate(size);
  await file.close();
  await mkdir(path);
  await run('/usr/sbin/mkfs.ext4', ['-q', '-E', 'lazy_itable_init=0,lazy_journal_init=0', image]);
  const mount = (): Promise<unknown> => run('mount', ['-o', 'loop', image, path]);
  const unmount = (): Promise<true> =>
    eventually('nobody uses the disk', freeTimeoutMs, () =>
      run('umount', [path]).then(
        () => true as const,
        () => undefined,
      ),
    );
  try {
    await mount();
  } catch (error) {
    await rm(folder, { recursive: true, force: true });
    throw error;
  }
  return {
    path,
    // Without a flush of its journal: `shutdown -f` would be a clean end.
    cutPower: async () => void (await run('/usr/sbin/xfs_io', ['-x', '-c', 'shutdown', path])),
    restorePower: async () => {
      await unmount();
      await mount();
    },
    remove: async () => {
      await unmount();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
