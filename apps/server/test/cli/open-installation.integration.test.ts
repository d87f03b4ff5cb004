import { chmodSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { loadConfiguration } from '../../src/config/load-configuration.ts';
import { requireHome } from '../../src/cli/open-installation.ts';
import { withoutRights } from '../support/without-rights.ts';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'ringfence-home-'));
  mkdirSync(join(folder, 'home'));
});
afterAll(() => {
  chmodSync(folder, 0o700);
  rmSync(folder, { recursive: true });
});

const look = async (home: string): Promise<void> => requireHome(loadConfiguration({ home }, {}, folder));

it('a command tells a home that is not there from one that this user cannot enter', async () => {
  await look('home');
  await expect(look('elsewhere')).rejects.toThrow(`There is no installation under ${join(folder, 'elsewhere')}.`);
  const closed = `${join(folder, 'home')} cannot be entered by this user.`;
  chmodSync(join(folder, 'home'), 0o600);
  await expect(withoutRights(() => look('home'))).rejects.toThrow(closed);
  chmodSync(folder, 0o600);
  await expect(withoutRights(() => look('home'))).rejects.toThrow(closed);
});
