import { glob, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** The clock of one process and its threads, which can be set while it runs. Monotonic clocks are unaffected. */
export interface SettableClock {
  /** The environment of the process. */
  readonly env: Readonly<Record<string, string>>;
  /** How far it is ahead of this machine's clock, from now on or within a second; negative if behind. */
  set(aheadSeconds: number): Promise<void>;
}

/** In Debian's `libfaketime`. */
const libraries = '/usr/lib/*-linux-gnu/faketime/libfaketimeMT.so.1';

/** Why no clock can be set here; `undefined` if it can. */
export async function whyNoClock(): Promise<string | undefined> {
  return (await findLibrary()) === undefined ? `there is no ${libraries}` : undefined;
}

/** @throws if it cannot be created */
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
    },
    set,
  };
}

async function findLibrary(): Promise<string | undefined> {
  for await (const path of glob(libraries)) return path;
  return undefined;
}
