/** A database knows the master key that sealed it. */
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

it('the key that it was made with opens it again', async () => {
  await expect(verifyMasterKeys(home.pool, load(right))).resolves.toBeUndefined();
});

it('another one is refused, by the names of both', async () => {
  const [is, was] = [load(wrong), load(right)];
  await expect(verifyMasterKeys(home.pool, is)).rejects.toThrow(
    `(id ${is.all()[0]!.id}) is not the one that sealed this database (id ${was.all()[0]!.id})`,
  );
});

it('one of two is enough, whichever comes first', async () => {
  await expect(verifyMasterKeys(home.pool, load(`${right} ${wrong}`))).resolves.toBeUndefined();
  await expect(verifyMasterKeys(home.pool, load(`${wrong},${right}`))).resolves.toBeUndefined();
});

it('one that was made just now is refused, and taken away again', async () => {
  const made = load();
  expect(made.made).toBe(true);
  await expect(verifyMasterKeys(home.pool, made)).rejects.toMatchObject({
    mend: expect.stringContaining('the old one is missing'),
  });
  expect(existsSync(masterKeyPath(folder))).toBe(false);
});

it('a command makes none', () => {
  expect(() => MasterKeys.load({ home: folder, fromEnvironment: undefined }, false)).toThrow('There is no master key');
  expect(existsSync(masterKeyPath(folder))).toBe(false);
});

it('the database holds nothing that tells the key', async () => {
  const found = await home.pool.query<{ all: string }>(`select json_agg(i)::text as all from installation i`);
  expect(found.rows[0]!.all).not.toContain(right);
});
