import { chmod, mkdir, mkdtemp, readdir, readFile, rm, stat, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  choosePlace,
  findPlace,
  makePrivateFolder,
  systemFolder,
} from '../../../src/platform/database/embedded/data-directory.ts';
import { OperatorError } from '../../../src/platform/observability/operator-error.ts';

const isRoot = process.getuid?.() === 0;

describe('the location of an embedded database', () => {
  let folder: string;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'ringfence-place-'));
    await chmod(folder, 0o711);
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  it('is in home if the server’s user can reach it, and is found again', async () => {
    const home = join(folder, 'new', 'home');
    expect(await findPlace(home)).toBeUndefined();
    const place = await choosePlace(home);
    expect(place.folder).toBe(join(home, 'database'));
    expect(place.dataFolder).toBe(join(home, 'database', 'data'));
    expect(await findPlace(home)).toEqual(place);
  });

  it('is a system folder for root with a closed home, and stays there when home is opened', async ({ skip }) => {
    if (!isRoot) skip('only root has a server that runs as another user');
    await chmod(folder, 0o700);
    const home = join(folder, 'my home');
    const place = await choosePlace(home);
    try {
      expect(place.folder.startsWith(join(systemFolder, 'myhome-'))).toBe(true);
      expect(await readFile(join(home, 'database.location'), 'utf8')).toBe(`${place.folder}\n`);
      await chmod(folder, 0o711);
      expect(await choosePlace(home)).toEqual(place);
      expect(await findPlace(home)).toEqual(place);
    } finally {
      await rm(place.folder, { recursive: true });
    }
    await expect(choosePlace(home)).rejects.toThrow('that folder does not exist');
  });

  it.each(['$USER', 'a"b', 'a`b', 'a\\b', 'a\nb'])('is refused under %j, which initdb would misread', async (name) => {
    const home = join(folder, name);
    await expect(choosePlace(home)).rejects.toThrow(`The database cannot be created under ${home}`);
    expect(await readdir(home)).toEqual([]);
  });

  it("may be under any other name, like it's (this), here & now", async () => {
    const home = join(folder, "it's (this), here & now");
    expect((await choosePlace(home)).folder).toBe(join(home, 'database'));
  });

  it('keeps the user that owns the data', async ({ skip }) => {
    if (!isRoot) skip('only root has a server that runs as another user');
    const place = await choosePlace(folder);
    await mkdir(place.dataFolder);
    expect((await choosePlace(folder)).user).toEqual({ uid: 0, gid: 0 });
  });

  it('has its socket next to the data, or under a unique name if that path would be too long', async () => {
    const near = await choosePlace(folder);
    expect(near.socketFolder).toBe(join(near.folder, 'run'));
    const deep = await choosePlace(join(folder, 'x'.repeat(100)));
    expect(basename(deep.socketFolder)).toMatch(/^ringfence-[0-9a-f]{16}$/u);
    expect(deep.socketFolder.startsWith(folder)).toBe(false);
  });
});

describe('a private folder', () => {
  let folder: string;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'ringfence-private-'));
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  it('is created without access for others, and used again', async () => {
    const path = join(folder, 'run');
    await makePrivateFolder(path, undefined);
    expect((await stat(path)).mode & 0o777).toBe(0o700);
    await makePrivateFolder(path, undefined);
  });

  it.each([
    ['a folder that others may enter', (path: string) => mkdir(path, { mode: 0o755 })],
    ['a symbolic link', async (path: string) => symlink(folder, path)],
  ])('is refused if there already is %s', async (_, leave) => {
    const path = join(folder, 'run');
    await leave(path);
    await expect(makePrivateFolder(path, undefined)).rejects.toThrow(OperatorError);
  });
});
