import { access, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** The clock of one process and its threads, which can be set while it runs. Clocks that never jump stay as they are. */
export interface SettableClock {
  /** For the process whose clock it is. */
  readonly env: Readonly<Record<string, string>>;
  /** How far ahead of this machine's it is from now on, or within a second; negative for behind. */
  set(aheadSeconds: number): Promise<void>;
}

const libraries = '/usr/lib';
/** Under the folder of the processor's libraries. In Debian's `libfaketime`. */
const library = 'faketime/libfaketimeMT.so.1';

/** Why no clock can be set here; `undefined` when one can. */
export async function whyNoClock(): Promise<string | undefined> {
  return (await findLibrary()) === undefined ? `there is no ${library} below ${libraries}` : undefined;
}

/** @throws when it can't be made */
export async function makeClock(folder: string): Promise<SettableClock> {
  const found = await findLibrary();
  if (found === undefined) throw new Error(await whyNoClock());
  const path = join(folder, 'clock');
  const set = (aheadSeconds: number): Promise<void> =>
    writeFile(path, `${aheadSeconds < 0 ? '' : '+'}${aheadSeconds}\n`);
  await set(0);
  return {
    env: {
      LD_PRELOAD: found,
      FAKETIME_TIMESTAMP_FILE: path,
      FAKETIME_CACHE_DURATION: '1',
      FAKETIME_DONT_FAKE_MONOTONIC: '1',
      DONT_FAKE_MONOTONIC: '1',
    },
    set,
  };
}

async function findLibrary(): Promise<string | undefined> {
  const folders = await readdir(libraries).catch(() => []);
  for (const folder of folders.filter((name) => name.endsWith('-linux-gnu'))) {
    const path = join(libraries, folder, library);
    if (
      await access(path).then(
        () => true,
        () => false,
      )
    )
      return path;
  }
  return undefined;
}
