/** What `client erase` reports about policy files, which it cannot change. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { freshDatabase, type TestDatabase } from '../support/postgres.ts';
import { ringfence, type Said } from '../support/terminal.ts';

let database: TestDatabase;
let folder: string;
beforeAll(async () => {
  database = await freshDatabase();
  folder = mkdtempSync(join(tmpdir(), 'ringfence-erase-'));
  mkdirSync(join(folder, 'policy'));
  await run('migrate');
  await run('workspace create bank -e production');
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function run(line: string): Promise<Said> {
  const masterKey = Buffer.alloc(32, 5).toString('base64');
  return ringfence(line, { environment: { DATABASE_URL: database.url, RINGFENCE_MASTER_KEY: masterKey }, folder });
}

async function apply(items: string): Promise<void> {
  const text = `lists:\n  vips: { of: client.id, live: true, items: [${items}] }\nrules:\n  - { reason: 1, name: n, when: client.id in lists.vips, then: { action: 2 } }\n`;
  writeFileSync(join(folder, 'policy', 'rules.yaml'), text);
  expect((await run('policy apply policy -w bank')).code).toBe(0);
}

it('erase lists the policy files of all versions that contain the client as a whole word', async () => {
  await apply('alice, alice2');
  await apply('alice2');
  expect((await run('list add vips alice -w bank')).code).toBe(0);
  const erased = await run('client erase alice -w bank --yes');
  expect(erased.code).toBe(0);
  expect(erased.out).toMatch(
    /^Erased: .*\nPolicy files still contain its name\. Remove it and apply the policy again:\n {2}version 1: rules\.yaml, line 2\n$/,
  );
  expect((await run('list show vips -w bank')).out).not.toMatch(/\balice\b/);
});

it('erase lists no policy files if none contains the client', async () => {
  expect((await run('list add vips bob -w bank')).code).toBe(0);
  const { code, out } = await run('client erase bob -w bank --yes --json');
  expect([code, JSON.parse(out)]).toEqual([0, { erased: expect.any(String), namedInPolicies: [] }]);
});
