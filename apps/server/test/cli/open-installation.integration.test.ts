import { chmodSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { loadConfiguration } from '../../src/config/load-configuration.ts';
import { requireHome } from '../../src/cli/open-installation.ts';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'ringfence-home-'));
  mkdirSync(join(folder, 'home'));
});
afterAll(() => {
  chmodSync(folder, 0o700);
  rmSync(folder, { recursive: true });
});

const look = (home: string): void => requireHome(loadConfiguration({ home }, {}, folder));

/** Rights do not stop root. */
function withoutRights(work: () => void): void {
  const nobody = 65_534;
  const isRoot = process.getuid?.() === 0;
  if (isRoot) process.seteuid!(nobody);
  try {
    work();
  } finally {
    if (isRoot) process.seteuid!(0);
  }
}

it('a command tells a home that is not there from one that this user cannot enter', () => {
  expect(() => look('home')).not.toThrow();
  expect(() => look('elsewhere')).toThrow(`There is no installation under ${join(folder, 'elsewhere')}.`);
  chmodSync(join(folder, 'home'), 0o600);
  withoutRights(() => {
    expect(() => look('home')).toThrow(`${join(folder, 'home')} cannot be entered by this user.`);
  });
  chmodSync(folder, 0o600);
  withoutRights(() => {
    expect(() => look('home')).toThrow('cannot be entered by this user.');
  });
});
