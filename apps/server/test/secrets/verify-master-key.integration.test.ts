/** A database knows the master key that sealed it. */
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { loadMasterKey, masterKeyPath, verifyMasterKey } from '../../src/secrets/master-key.ts';
import { type Installation, makeInstallation } from '../support/installation.ts';

let home: Installation;
let folder: string;
const [right, wrong] = [Buffer.alloc(32, 1).toString('hex'), Buffer.alloc(32, 2).toString('hex')];
beforeAll(async () => {
  home = await makeInstallation();
  folder = mkdtempSync(join(tmpdir(), 'ringfence-master-'));
  await verifyMasterKey(home.pool, loadMasterKey(folder, right));
});
afterAll(async () => {
  await home.close();
  rmSync(folder, { recursive: true });
});

it('the key that it was made with opens it again', async () => {
  await expect(verifyMasterKey(home.pool, loadMasterKey(folder, right))).resolves.toBeUndefined();
});

it('another one is refused, by the names of both', async () => {
  const [is, was] = [loadMasterKey(folder, wrong), loadMasterKey(folder, right)];
  await expect(verifyMasterKey(home.pool, is)).rejects.toThrow(
    `(id ${is.id}) is not the one that sealed this database (id ${was.id})`,
  );
});

it('one that was made just now is refused, and taken away again', async () => {
  const made = loadMasterKey(folder, undefined);
  expect(made.made).toBe(true);
  await expect(verifyMasterKey(home.pool, made)).rejects.toMatchObject({
    mend: expect.stringContaining('the old one is missing'),
  });
  expect(existsSync(masterKeyPath(folder))).toBe(false);
});

it('a command makes none', () => {
  expect(() => loadMasterKey(folder, undefined, false)).toThrow('There is no master key');
  expect(existsSync(masterKeyPath(folder))).toBe(false);
});

it('the database holds nothing that tells the key', async () => {
  const found = await home.pool.query<{ all: string }>(`select json_agg(i)::text as all from installation i`);
  expect(found.rows[0]!.all).not.toContain(right);
});
