/** How the command line reports a refused change: which part, why, and what was expected. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { freshDatabase, type TestDatabase } from '../support/postgres.ts';
import { ringfence, type Said } from '../support/terminal.ts';

const policy = `
lists:
  mules: { of: payee.id, live: true }
  offices: { of: publicIp, live: true }
rules:
  - { reason: 1, name: a, on: [operation], when: payee.id in lists.mules, then: { action: 3, message: x } }
  - { reason: 30, name: b, on: [operation], when: order.amount > 1, then: { action: 3, message: x } }
  - { reason: 35, name: c, on: [operation], when: order.amount > 2, then: { action: 3, message: x } }
  - { reason: 41, name: d, on: [operation], when: order.amount > 3, then: { action: 3, message: x } }
`;

let database: TestDatabase;
let folder: string;
beforeAll(async () => {
  database = await freshDatabase();
  folder = mkdtempSync(join(tmpdir(), 'ringfence-refusals-'));
  mkdirSync(join(folder, 'policy'));
  writeFileSync(join(folder, 'policy', 'rules.yaml'), policy);
  await run('migrate');
  await run('workspace create bank -e production');
  await run('policy apply policy -w bank');
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function run(line: string): Promise<Said> {
  const masterKey = Buffer.alloc(32, 5).toString('base64');
  return ringfence(line, { environment: { DATABASE_URL: database.url, RINGFENCE_MASTER_KEY: masterKey }, folder });
}

describe('list', () => {
  it('add reports the invalid item, the reason, and what was expected', async () => {
    const refused = await run('list add offices banana -w bank');
    expect(refused).toMatchObject({ code: 1, out: '' });
    expect(refused.err).toMatch(
      /^Invalid items: 1\.\n {2}banana: This is not a valid item of the list offices; expected .+\n$/,
    );
  });

  it('an unknown list is answered with the nearest name, or with all names', async () => {
    const [near, far] = [await run('list add muls B1/1 -w bank'), await run('list show countries -w bank')];
    expect(near).toEqual({
      code: 1,
      out: '',
      err: 'The policy of bank has no list muls. Did you mean "mules"?\n',
    });
    expect(far.err).toBe('The policy of bank has no list countries. It has: mules, offices.\n');
  });

  it('remove refuses an item that is not on the list', async () => {
    expect(await run('list remove mules B1/9 -w bank')).toEqual({
      code: 1,
      out: '',
      err: 'B1/9 is not among the live items of mules. Remove an item that the policy declares from the policy files.\n',
    });
    expect((await run('list add mules B1/9 -w bank')).out).toBe('Added B1/9 to mules.\n');
    expect(await run('list remove mules B1/9 -w bank')).toMatchObject({
      code: 0,
      out: 'Removed B1/9 from mules.\n',
    });
    expect(await run('list remove mules B1/9 -w bank')).toMatchObject({ code: 1 });
  });

  it('add prints the old end and comment of an item that is already on the list', async () => {
    const put = (rest: string): Promise<Said> => run(`list add mules B1/8 ${rest}-w bank --author mara`);
    await put('--until 2099-02-01T00:00:00Z --comment reported ');
    expect((await put('')).out).toBe(
      'B1/8 stays on mules permanently; before: until 2099-02-01 00:00:00Z (mara: reported).\n',
    );
    expect((await put('--until 2099-03-01T00:00:00Z ')).out).toBe(
      'B1/8 stays on mules until 2099-03-01 00:00:00Z; before: permanently (mara).\n',
    );
    expect(JSON.parse((await put('--json ')).out)).toMatchObject({ changed: 1, replaced: { parts: ['B1/8'] } });
    expect((await run('list remove mules B1/8 -w bank')).code).toBe(0);
  });

  it('import reports file and line of a mistake, and imports nothing', async () => {
    mkdirSync(join(folder, 'feeds'));
    const path = 'feeds/items.csv';
    const file = join(folder, path);
    writeFileSync(file, 'B1/1\nB1/2,yesterday\n');
    expect(await run(`list import mules ${path} -w bank`)).toMatchObject({
      code: 2,
      err: expect.stringMatching(/^feeds\/items\.csv:2: "yesterday" is not a valid end: expected 7d, /),
    });
    expect(await run('list import mules feeds/none.csv -w bank')).toMatchObject({
      code: 2,
      err: expect.stringMatching(/feeds\/none\.csv cannot be read: ENOENT/),
    });
    writeFileSync(file, '# ours\nB1/1,7d,x\n');
    expect((await run(`list import mules ${path} -w bank`)).err).toBe(
      'feeds/items.csv:2: expected 1 or 2 values, found 3\n',
    );
    writeFileSync(file, '# ours\n\n203.0.113.7\nbanana\n');
    const refused = await run(`list import offices ${path} -w bank`);
    expect(refused.err).toMatch(
      /^ {2}feeds\/items\.csv:4: This is not a valid item of the list offices; expected .+$/m,
    );
    expect((await run('list show offices -w bank --json')).out).toBe('[]\n');
  });
});

describe('list import', () => {
  const items = async (list: string): Promise<readonly string[]> =>
    (JSON.parse((await run(`list show ${list} -w bank --json`)).out) as { readonly parts: readonly string[] }[])
      .map(({ parts }) => parts[0]!)
      .toSorted();
  const load = (text: string | Buffer, more = ''): ReturnType<typeof run> => {
    writeFileSync(join(folder, 'items.csv'), text);
    return run(`list import mules items.csv -w bank ${more}`);
  };

  it.each([
    ['another delimiter', 'B1/1;2027-02-01T00:00:00Z\nB1/2;\n', /semicolons separate the values.*--delimiter/],
    ['another encoding', Buffer.from('B1/Jos\u00e9\n', 'latin1'), /not UTF-8.*--encoding/],
    ['names of columns', 'payee,until\nB1/9\n', /items\.csv:1: .*names of columns.*--no-header/],
    ['no item', '# nothing today\n', /has no item: --replace would remove all items/],
    [
      'an item that nothing matches, behind a thousand',
      `${many('B2', 1_400)}123\n`,
      /items\.csv:1401: No event can ever match/,
    ],
    [
      'an item that is too long',
      `${many('B2', 1_400)}B/${'x'.repeat(300)}\n`,
      /items\.csv:1401: This is not a valid item/,
    ],
  ])('refuses a file with %s, and changes nothing', async (_, text, told) => {
    expect(await load('B1/1\nB1/2\n', '--replace')).toMatchObject({ code: 0 });
    const refused = await load(text, '--replace');
    expect(refused.code).not.toBe(0);
    expect(refused.err).toMatch(told);
    expect(await items('mules')).toEqual(['B1/1', 'B1/2']);
  });

  it('takes all of a long file at once, and what an export wrote comes back the same', async () => {
    expect(await load(many('B3', 2_500), '--replace')).toMatchObject({ code: 0 });
    await run('list add mules B4/a;b -w bank');
    const before = await items('mules');
    expect(before).toHaveLength(2_501);
    const exported = (await run('list export mules -w bank')).out;
    expect(exported.split('\n')[0]).toBe('payee.id,until');
    expect(await load('B5/1\n', '--replace')).toMatchObject({ code: 0 });
    expect(await load(exported, '--replace')).toMatchObject({ code: 0 });
    expect(await items('mules')).toEqual(before);
  });

  it('reads a file of a European spreadsheet if it is told how', async () => {
    const text = Buffer.from('payee.id;until\r\nB1/Jos\u00e9;2099-02-01T00:00:00Z\r\n', 'latin1');
    expect(await load(text, '--replace --delimiter ; --encoding windows-1252')).toMatchObject({ code: 0 });
    expect(await items('mules')).toEqual(['B1/José']);
  });
});

function many(bank: string, count: number): string {
  return Array.from({ length: count }, (_, at) => `${bank}/${at}\n`).join('');
}

describe('suppress rule', () => {
  const about = '--payee B1/1 --why test -w bank';

  it('reports what is wrong with its end', async () => {
    expect(await run(`suppress rule 1 --until 700d ${about}`)).toEqual({
      code: 1,
      out: '',
      err: 'A suppression must end within a year.\n  until: It is in the past, or more than a year ahead; expected a time in the future, at most a year ahead\n',
    });
  });

  it('requires a reason', async () => {
    // The last argument is empty.
    expect(await run('suppress rule 30 --until 7d --payee B1/1 -w bank --why ')).toEqual({
      code: 2,
      out: '',
      err: '--why: expected a reason, found ""\n',
    });
  });

  it('suggests the nearest rules for an unknown one, and stores nothing', async () => {
    expect(await run(`suppress rule 33 --until 7d ${about}`)).toEqual({
      code: 1,
      out: '',
      err: 'The policy of bank has no rule 33.\n  reason: expected one of its rules; the nearest: 35, 30, 41\n',
    });
    expect((await run('suppress list -w bank --json')).out).toBe('[]\n');
    expect((await run(`suppress rule 30 --until 7d ${about}`)).code).toBe(0);
  });
});

it('field errors do not repeat what the first line says', async () => {
  expect((await run('workspace set bank blockHours=0')).err).toBe(
    'blockHours: expected a whole number of hours from 1 to 8760, found "0"\n',
  );
});
