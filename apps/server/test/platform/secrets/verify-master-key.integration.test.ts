/** The database records which master key sealed it. */
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { masterKeyPath, MasterKeys } from '../../../src/platform/secrets/master-keys.ts';
import { verifyMasterKeys } from '../../../src/platform/secrets/sealing-key.ts';
import { type Installation, makeInstallation } from '../../support/installation.ts';

let home: Installation;
let folder: string;
const [right, wrong] = [Buffer.alloc(32, 1).toString('hex'), Buffer.alloc(32, 2).toString('hex')];
const load = (fromEnvironment?: string): MasterKeys => MasterKeys.load({ home: folder, fromEnvironment });
beforeAll(async () => {
  home = await makeInstallation();
  folder = mkdtempSync(join(tmpdir(), 'ringfence-master-'));
  await home.pool.query(`truncate installation`);
  await verifyMasterKeys(home.pool, load(right));
});
afterAll(async () => {
  await home.close();
  rmSync(folder, { recursive: true });
});

it('the key that a database was created with is accepted', async () => {
  await expect(verifyMasterKeys(home.pool, load(right))).resolves.toBeUndefined();
});

it('another key is refused, with the ids of both', async () => {
  const [is, was] = [load(wrong), load(right)];
  await expect(verifyMasterKeys(home.pool, is)).rejects.toThrow(
    `(id ${is.all()[0]!.id}) is not the one that sealed this database (id ${was.all()[0]!.id})`,
  );
});

it('one matching key of two is enough, in any order', async () => {
  await expect(verifyMasterKeys(home.pool, load(`${right} ${wrong}`))).resolves.toBeUndefined();
  await expect(verifyMasterKeys(home.pool, load(`${wrong},${right}`))).resolves.toBeUndefined();
});

it('a key that was just created is refused, and deleted again', async () => {
  const made = load();
  expect(made.made).toBe(true);
  await expect(verifyMasterKeys(home.pool, made)).rejects.toMatchObject({
    mend: expect.stringContaining('the old one is missing'),
  });
  expect(existsSync(masterKeyPath(folder))).toBe(false);
});

it('a command creates no key', () => {
  expect(() => MasterKeys.load({ home: folder, fromEnvironment: undefined }, false)).toThrow('There is no master key');
  expect(existsSync(masterKeyPath(folder))).toBe(false);
});

it('the database contains nothing that reveals the key', async () => {
  const found = await home.pool.query<{ all: string }>(`select json_agg(i)::text as all from installation i`);
  expect(found.rows[0]!.all).not.toContain(right);
});
