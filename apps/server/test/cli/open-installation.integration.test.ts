import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loadConfiguration } from '../../src/config/load-configuration.ts';
import { requireHome } from '../../src/cli/open-installation.ts';
import { ringfence } from '../support/terminal.ts';
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

describe('a read-only command', () => {
  it.each(['migrate --check', 'migrate --print', 'backup b.bin', 'doctor', 'workspace list'])(
    '%s does not create a missing database, and reports it',
    async (line) => {
      const home = mkdtempSync(join(folder, 'empty-'));
      mkdirSync(join(home, 'secrets'), { mode: 0o700 });
      const key = Buffer.alloc(32, 5).toString('base64');
      writeFileSync(join(home, 'secrets', 'master.key'), key, { mode: 0o600 });
      const { code, out, err } = await ringfence(`${line} --home ${home}`, { folder });
      expect(code).toBe(1);
      expect(out + err).toContain(`There is no database under ${home} yet.`);
      expect(out + err).toContain('start the service, which creates the database: ringfence serve');
      expect(readdirSync(home)).toEqual(['secrets']);
    },
  );

  it.each(['migrate --check', 'migrate --print', 'backup b.bin', 'doctor', 'key list', 'workspace list'])(
    '%s does not create a missing home',
    async (line) => {
      const home = join(folder, 'nowhere');
      const { code, out, err } = await ringfence(`${line} --home ${home}`, { folder });
      expect(code).toBe(1);
      expect(out + err).toContain(`There is no installation under ${home}.`);
      expect(out + err).toContain('ringfence serve');
      expect(existsSync(home)).toBe(false);
    },
  );
});

it('a missing home and a home that the user may not enter are reported differently', async () => {
  await look('home');
  await expect(look('elsewhere')).rejects.toThrow(`There is no installation under ${join(folder, 'elsewhere')}.`);
  const closed = `This user may not enter ${join(folder, 'home')}.`;
  chmodSync(join(folder, 'home'), 0o600);
  await expect(withoutRights(() => look('home'))).rejects.toThrow(closed);
  chmodSync(folder, 0o600);
  await expect(withoutRights(() => look('home'))).rejects.toThrow(closed);
});
