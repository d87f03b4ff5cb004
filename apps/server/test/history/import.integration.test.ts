/** Files become history like requests become events: checked, sealed, all or nothing. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import type { Pool } from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { connectForLongWork } from '../../src/platform/database/database.ts';
import { HistoryReader } from '../../src/history/history-bytes.ts';
import { type PackableEvent, unpackEvent } from '../../src/history/event-codec.ts';
import { readHistory } from '../../src/history/read-history.ts';
import { addBlock, beginSegment, findSegment, listSegments } from '../../src/history/segments.ts';
import { eraseClient } from '../../src/tenancy/subjects/erase-client.ts';
import { makeScene, type Scene } from '../decide/support.ts';
import { type Installation, makeInstallation } from '../support/installation.ts';
import { ringfence, type Said } from '../support/terminal.ts';

let home: Installation;
let scene: Scene;
let pool: Pool;
let folder: string;
beforeAll(async () => {
  home = await makeInstallation();
  scene = await makeScene(home);
  pool = scene.pool;
  folder = mkdtempSync(join(tmpdir(), 'ringfence-import-'));
  file('payments.yaml', paymentsMapping);
});
afterAll(async () => {
  await scene.close();
  await home.close();
  rmSync(folder, { recursive: true, force: true });
});

const paymentsMapping = `
time: { column: at, format: epoch-seconds }
kind: operation
label: { column: fraud, fraud: [1], legitimate: [0] }
operation:
  channelId: { value: 1 }
  account.client: client
  order.amount: amount
  order.currency: { value: MXN }
  transaction.description: note
`;
const head = 'at,client,amount,note,fraud,branch\n';

function file(name: string, content: string | Buffer): void {
  writeFileSync(join(folder, name), content);
}

function run(line: string, stop?: AbortSignal): Promise<Said> {
  const environment = { ...home.environment, USER: 'mara' };
  return ringfence(line, { environment, folder, ...(stop === undefined ? {} : { stop }) });
}

interface Read extends PackableEvent {
  readonly atS: number;
}

async function history(name: string): Promise<readonly (Read | 'unreadable')[]> {
  const segment = await findSegment(pool, scene.workspace.id, name);
  const events: (Read | 'unreadable')[] = [];
  for await (const chunk of readHistory(scene, scene.workspace, segment)) {
    for (const { atMs, packed } of chunk) {
      events.push(
        packed === undefined ? 'unreadable' : { ...unpackEvent(new HistoryReader(packed)), atS: atMs / 1_000 },
      );
    }
  }
  return events;
}

async function clients(name: string): Promise<readonly unknown[]> {
  const events = await history(name);
  return events.map((one) =>
    one === 'unreadable' ? one : one.event.kind === 'operation' ? one.event.account?.client : one.event.user,
  );
}

describe('a file of payments', () => {
  it('becomes the same events as at ingest, labelled, in time order', async () => {
    file(
      'year.csv.gz',
      gzipSync(
        `${head}1600000300,benedicta,10.10,"rent, ""may""",0,x\n1600000100,ana lucía,5,,1,x\n1600000100,evangelina,7,,,x\n`,
      ),
    );
    const said = await run('import year.csv.gz -m payments.yaml -w bank');
    expect(said).toMatchObject({ code: 0, err: '' });
    expect(said.out).toContain('year: 3 events in bank/production: 3 operations, 0 logins, 0 logouts.\n');
    expect(said.out).toContain('Labelled: 1 fraud, 1 legitimate.\n');
    expect(said.out).toContain('Unused columns of year.csv.gz: branch.\n');
    const [first, second, third] = await history('year');
    expect(await clients('year')).toEqual(['ana lucía', 'evangelina', 'benedicta']);
    expect(first).toMatchObject({ atS: 1_600_000_100, label: 'fraud', enrichment: { statedAtMs: 1_600_000_100_000 } });
    expect(second).toMatchObject({ label: undefined });
    expect(third).toMatchObject({
      label: 'legitimate',
      event: { order: { amount: '10.10', currency: 'MXN' }, transaction: { description: 'rent, "may"' } },
    });
  });

  it('is stored sealed: the database contains no client, no amount, no note', async () => {
    const { rows } = await pool.query<{ content: Buffer }>('select content from history_block');
    const stored = Buffer.concat(rows.map(({ content }) => content)).toString('latin1');
    // Long enough not to occur in sealed bytes by chance.
    expect(stored).not.toMatch(/ana luc|benedicta|evangelina|10\.10|rent, /);
  });

  it('masks card numbers and hashes cards like ingest', async () => {
    file('cards.csv', `${head}1600000000,ana,1,card 4111111111111111,0,x\n`);
    expect(await run('import cards.csv -m payments.yaml -w bank')).toMatchObject({ code: 0 });
    expect(JSON.stringify(await history('cards'))).not.toContain('4111111111111111');
  });

  it('can name the words for nothing, and have blanks dropped', async () => {
    file('nulls.yaml', `${paymentsMapping}trim: true\nnulls: [NULL, '\\N']\n`);
    file('nulls.csv', `${head}1600000000, ana ,1,NULL,0,x\n1600000001,\\N,1,NULLS,0,x\n`);
    const said = await run('import nulls.csv -m nulls.yaml -w bank --json');
    expect(JSON.parse(said.out)).toMatchObject({ events: 2, damage: [] });
    expect(await clients('nulls')).toEqual(['ana', undefined]);
    const descriptions = (await history('nulls')).map((one) =>
      one !== 'unreadable' && one.event.kind === 'operation' ? one.event.transaction?.description : one,
    );
    expect(descriptions).toEqual([undefined, 'NULLS']);
  });

  it('tells what looks damaged, by column, with the first line', async () => {
    file(
      'damaged.csv',
      `${head}1600000000,NULL,1,#REF!,0,x\n1600000001,NULL,1,"=""01""",0,x\n1600000002,6.4E+17,6.4E+10,,0,x\n`,
    );
    const said = await run('import damaged.csv -m payments.yaml -w bank');
    expect(said.code).toBe(0);
    expect(said.out).toMatch(/\n2 +damaged\.csv:2 +client +a word for nothing, such as NULL/);
    expect(said.out).toMatch(/\n1 +damaged\.csv:4 +client +a number that a spreadsheet has rounded/);
    expect(said.out).toMatch(/\n1 +damaged\.csv:4 +amount +a number that a spreadsheet has rounded/);
    expect(said.out).toMatch(/\n1 +damaged\.csv:2 +note +an error of a spreadsheet/);
    expect(said.out).toMatch(/\n1 +damaged\.csv:3 +note +a formula of a spreadsheet/);
  });

  it.each([
    ['sep=;', { code: 0, err: '' }],
    ['sep=\t', { code: 1, err: expect.stringContaining('Write `delimiter: tab` in the mapping.') }],
  ])('may begin with the line that names its delimiter: %j', async (line, expected) => {
    file('sep.yaml', `${paymentsMapping}delimiter: ";"\n`);
    file('sep.csv', `\ufeff${line}\r\n${head.replaceAll(',', ';')}1600000000;ana;1;;0;x\r\n`);
    expect(await run(`import sep.csv -m sep.yaml -w bank --name sep${expected.code}`)).toMatchObject(expected);
  });

  it('in the order of its times tells the two hours apart when clocks go back; else it is told', async () => {
    file('autumn.yaml', paymentsMapping.replace('format: epoch-seconds', 'zone: America/New_York'));
    const row = (time: string): string => `2026-11-01 ${time}:00,ana,1,,0,x\n`;
    file('autumn.csv', head + ['00:59', '01:10', '01:50', '01:11', '01:55', '02:00'].map(row).join(''));
    file('disorder.csv', head + ['02:00', '01:50', '01:10'].map(row).join(''));
    const said = await run('import autumn.csv -m autumn.yaml -w bank --json');
    expect(JSON.parse(said.out)).toMatchObject({ events: 6, twice: 4 });
    const minutes = (await history('autumn')).map((one) => (one === 'unreadable' ? one : (one.atS % 86_400) / 60));
    expect(minutes).toEqual([299, 310, 350, 371, 415, 420]);
    const other = await run('import disorder.csv -m autumn.yaml -w bank');
    expect(other.out).toContain('Times that clocks showed twice, when they went back: 2 lines.');
  });

  it('of JSON tells the columns that no line has, and those that are not read', async () => {
    file('names.ndjson', '{"at":1600000000,"Client":"ana","amount":1,"fraud":0}\n{"at":1600000001,"note":null}\n');
    const said = await run('import names.ndjson -m payments.yaml -w bank');
    expect(said.out).toContain('Unused columns of names.ndjson: Client.\n');
    expect(said.out).toContain('No line of names.ndjson has a value for: client, note.\n');
  });

  it('is not part of the live log', async () => {
    const before = await scene.log.head(scene.workspace.id);
    file('more.csv', `${head}1600000000,ana,1,,0,x\n`);
    await run('import more.csv -m payments.yaml -w bank');
    expect(await scene.log.head(scene.workspace.id)).toEqual(before);
  });
});

describe('invalid lines', () => {
  it('are skipped, counted, and reported with line, member and reason, without their values', async () => {
    file(
      'mixed.csv',
      Buffer.concat([
        Buffer.from(`${head}1600000000,ana,1,,0,x\nyesterday,ana,1,,0,x\n1600000001,ana,secret12,,0,x\n`),
        Buffer.from('1600000002,ana,1,,maybe,x\n1600000003,ana,1\n1600000004,an\xffa,1,,0,x\n', 'latin1'),
        Buffer.from(`1600000005,ana,1,"not closed,0,x`),
      ]),
    );
    const said = await run('import mixed.csv -m payments.yaml -w bank --report out.csv');
    expect(said.code).toBe(0);
    expect(said.out).toContain('mixed: 1 event in');
    expect(said.out).toContain(`Left out: 6 lines. Reasons by line: ${join(folder, 'out.csv')}`);
    const report = readFileSync(join(folder, 'out.csv'), 'utf8').trimEnd().split('\n');
    expect(report[0]).toBe('file,line,member,reason');
    expect(report.slice(1).map((line) => line.split(',').slice(0, 3).join())).toEqual([
      'mixed.csv,3,at',
      'mixed.csv,4,order.amount',
      'mixed.csv,5,fraud',
      'mixed.csv,6,',
      'mixed.csv,7,',
      'mixed.csv,8,',
    ]);
    expect(report.join()).not.toMatch(/yesterday|secret12|maybe/);
    const json = await run('import mixed.csv -m payments.yaml -w bank --name again --json');
    expect(JSON.parse(json.out)).toMatchObject({ events: 1, totals: { leftOut: 6 }, leftOut: expect.any(Array) });
  });

  it.each([
    ['/dev/full', 'ENOSPC'],
    ['no/such/folder.csv', 'ENOENT'],
  ])('nothing is imported when the report %s cannot be written', async (report, reason) => {
    file('few.csv', `${head}1600000000,ana,1,,0,x\nyesterday,ana,1,,0,x\n`);
    const said = await run(`import few.csv -m payments.yaml -w bank --report ${report}`);
    expect(said).toMatchObject({ code: 1, err: expect.stringContaining('cannot be written: ') });
    expect(said.err).toContain(reason);
    expect((await listSegments(pool, scene.workspace.id)).map(({ name }) => name)).not.toContain('few');
  });

  it('abort the import when no line is valid', async () => {
    file('wrong.csv', head + 'x,ana,1,,0,x\n'.repeat(1_500));
    const said = await run('import wrong.csv -m payments.yaml -w bank');
    expect(said).toMatchObject({ code: 1, err: expect.stringContaining('None of the first 1000 lines') });
    expect(said.err).toContain('at: This is not a number of seconds');
  });

  it.each([
    ['1600000000,evangelina,1,,0,x\n', 'Its first line of 6 cells contains no column of the mapping.'],
    ['at;client;amount;note;fraud\n', 'Its first line of 1 cell contains no column of the mapping.'],
    [`${head}1600000000,evangelina,1,,0,x\n`.replaceAll('\n', '\r'), 'ends its lines with carriage returns alone'],
    ['when,client\n1,ana\n', 'has no column "at", "fraud", "amount", "note".'],
    ['At,client,amount,note,fraud\n', 'has no column "at" (did you mean "At"?).'],
    [head, 'The files contain no event.'],
    ['at,client,amount,\u001b[31mnote\r1,fraud\n', 'Its columns are: at, client, amount, note?1, fraud.'],
    [`${head}1600000000,an\0a,1,,0,x\n`, 'Most frequent reason: account.client: A string contains the character NUL'],
    [
      `${head}x,ana,1,,0,x\n`,
      'None of the lines could be imported. Most frequent reason: at: This is not a number of seconds',
    ],
    ['at,client,amount,note,fraud,client\n1600000000,ana,1,,0,ben\n', 'has the column "client" more than once'],
    [
      'at,client,amo"unt,note,fraud\n1600000000,ana,1,,0\n',
      'odd.csv:1 names the columns, but cannot be read: There is a quote',
    ],
    [Buffer.from(`\uFEFF${head}1600000000,ana,1,,0,x\n`, 'utf16le'), 'is text in UTF-16.\nSave it in UTF-8.'],
    [Buffer.from(`${head}1600000000,ana,1,,0,x\n`, 'utf16le'), 'is text in UTF-16.\nSave it in UTF-8.'],
    [Buffer.from(`${head}1600000000,ana,1,,0,x\n`, 'utf16le').swap16(), 'is text in UTF-16.\nSave it in UTF-8.'],
    ['at,client,amount,,\n', 'Its columns are: at, client, amount, (no name), (no name).'],
    [Buffer.from('PK\u0003\u0004\0\0'), 'is a zip archive or a spreadsheet.\nUnpack it'],
  ])('a file that does not fit is refused: %j', async (content, expected) => {
    file('odd.csv', content);
    const said = await run('import odd.csv -m payments.yaml -w bank');
    expect(said).toMatchObject({ code: 1, err: expect.stringContaining(expected) });
    expect(said.err).not.toContain('evangelina');
  });

  it.each([
    ['import nothing.csv -m payments.yaml', 1, 'There is no file'],
    ['import year.csv.gz -m missing.yaml', 1, 'cannot be read'],
    [
      'import year.csv.gz ./year.csv.gz -m payments.yaml',
      2,
      'year.csv.gz is given twice: its events would be counted twice.',
    ],
    ['import year.csv.gz', 2, "required option '-m, --mapping"],
    ['import year.csv.gz -m payments.yaml -w bank', 1, 'There is already a history "year" in this workspace.'],
    ['import year.csv.gz -m payments.yaml --name a/b', 2, '--name: expected 1 to 64 letters'],
    ['history remove year -w bank', 2, 'Repeat with --yes'],
    ['history remove other --yes -w bank', 1, 'There is no history "other"'],
  ])('%s: ends with %i', async (line, code, expected) => {
    expect(await run(line)).toMatchObject({ code, err: expect.stringContaining(expected) });
  });
});

describe('other files', () => {
  it('with the same name are distinguished in the report', async () => {
    for (const part of ['one', 'two']) {
      mkdirSync(join(folder, part));
      file(join(part, 'same.csv'), `${head}1600000000,ana,1,,0,x\nyesterday,ana,1,,0,x\n`);
    }
    const said = await run('import one/same.csv two/same.csv -m payments.yaml --name parts -w bank --report parts.csv');
    expect(said.code).toBe(0);
    const report = readFileSync(join(folder, 'parts.csv'), 'utf8');
    expect(report).toContain(`${join(folder, 'one', 'same.csv')},3,at`);
    expect(report).toContain(`${join(folder, 'two', 'same.csv')},3,at`);
  });

  it('NDJSON with all kinds of events, together with CSV of another mapping', async () => {
    file(
      'all.yaml',
      `time: { column: when }
kind: { column: kind, login: [in], logout: [out] }
login: { channelId: { value: 1 }, user: who.id, session: s, publicIp: ip, data: { value: "" } }
logout: { channelId: { value: 1 }, user: who.id, session: s }
`,
    );
    file(
      'sessions.ndjson',
      `{"kind":"in","when":"2020-09-13T12:26:40Z","who":{"id":"ana"},"s":"s1","ip":"203.0.113.7"}
{"kind":"out","when":"2020-09-13T12:28:20Z","who":{"id":"ana"},"s":"s1","note":null}
{"kind":"in","when":"2020-09-13T12:26:40Z","who":{"id":7},"s":"s2","ip":"x"}
[1]
`,
    );
    file('pay.csv', `${head}1600000000,ana,1,,0,x\n`);
    const said = await run('import sessions.ndjson pay.csv -m all.yaml payments.yaml --name both -w bank');
    expect(said).toMatchObject({ code: 0, err: '' });
    expect(said.out).toContain('4 events in bank/production: 1 operation, 2 logins, 1 logout.');
    // At the same instant, events of the file that was named first come first.
    const events = await history('both');
    expect(events.map((one) => one !== 'unreadable' && one.event.kind)).toEqual([
      'login',
      'login',
      'operation',
      'logout',
    ]);
    expect(events[0]).toMatchObject({
      event: { user: 'ana', session: 's1', data: '' },
      enrichment: { facts: { 'ip.valid': true } },
    });
    expect(events[1]).toMatchObject({ event: { user: '7' }, enrichment: { facts: { 'ip.valid': false } } });
  });

  it('windows-1252 with semicolons, decimal commas, local times and no header line', async () => {
    file(
      'local.yaml',
      `delimiter: ";"
columns: [date, who, sum]
encoding: windows-1252
decimal: ","
time: { column: date, format: DD/MM/YYYY HH:mm, zone: America/Mexico_City }
kind: operation
operation: { channelId: { value: 3 }, account.client: who, order.amount: sum, order.currency: { value: MXN } }
`,
    );
    const lines = ['1/4/2018 00:30;Mu\xf1oz;1500,50', '1/4/2018 00:31;Ana;1.234.567,5', '1/4/2018 00:32;Ana;1.5'];
    file('local.txt', Buffer.from(`${lines.join('\n')}\n`, 'latin1'));
    const said = await run('import local.txt -m local.yaml -w bank');
    expect(said).toMatchObject({
      code: 0,
      out: expect.stringContaining('This is not a number. Expected a number with'),
    });
    expect(await history('local')).toMatchObject([
      {
        atS: Date.UTC(2018, 3, 1, 6, 30) / 1_000,
        event: { account: { client: 'Muñoz' }, order: { amount: '1500.50' } },
      },
      { event: { order: { amount: '1234567.5' } } },
    ]);
  });

  it('are read in time order over many blocks, whatever the order of their lines', async () => {
    const count = 70_000;
    const rows = Array.from({ length: count }, (_, i) => `${1_600_000_000 + i},c${i % 7},1,,0,x`);
    file('down.csv', `${head}${rows.toReversed().join('\n')}\n`);
    expect(await run('import down.csv -m payments.yaml -w bank')).toMatchObject({ code: 0 });
    const segment = await findSegment(pool, scene.workspace.id, 'down');
    expect(segment).toMatchObject({ events: count, blocks: 3 });
    const times = (await history('down')).map((one) => one !== 'unreadable' && one.atS - 1_600_000_000);
    expect(times).toEqual(rows.map((_, i) => i));
  });
});

describe('an import that ends before its last line', () => {
  it('leaves nothing visible, and the next import deletes its blocks', async () => {
    const dead = await connectForLongWork(home.connection);
    const segmentId = await beginSegment(dead, {
      workspaceId: scene.workspace.id,
      name: 'half',
      source: [],
      author: 'x',
    });
    await addBlock(dead, { segmentId, number: 0, fromMs: 0, toMs: 1, events: 1, content: Buffer.from('x') });
    const blocks = `select count(*)::integer as n from history_block where segment_id = ${segmentId}`;
    // While it runs, its name is taken, and no other import deletes its blocks.
    file('half.csv', `${head}1600000000,ana,1,,0,x\n`);
    expect(await run('import half.csv -m payments.yaml -w bank')).toMatchObject({ code: 1 });
    expect((await pool.query(blocks)).rows).toEqual([{ n: 1 }]);
    expect((await run('history list -w bank')).out).not.toContain('half');
    await dead.end();
    expect(await run('import half.csv -m payments.yaml -w bank')).toMatchObject({ code: 0 });
    expect((await pool.query(blocks)).rows).toEqual([{ n: 0 }]);
    expect(await clients('half')).toEqual(['ana']);
  });

  it('imports nothing when a person stops it, or when its file is damaged', async () => {
    const before = (await listSegments(pool, scene.workspace.id)).length;
    file('stopped.csv', `${head}1600000000,ana,1,,0,x\n`);
    const stop = AbortSignal.abort();
    expect(await run('import stopped.csv -m payments.yaml -w bank', stop)).toMatchObject({
      code: 1,
      err: expect.stringContaining('Nothing was imported.'),
    });
    const whole = gzipSync(`${head}${'1600000000,ana,1,,0,x\n'.repeat(100)}`);
    file('cut.csv.gz', whole.subarray(0, whole.length - 12));
    expect(await run('import cut.csv.gz -m payments.yaml -w bank')).toMatchObject({
      code: 1,
      err: expect.stringContaining('its gzip is damaged'),
    });
    expect(await listSegments(pool, scene.workspace.id)).toHaveLength(before);
  });
});

describe('history', () => {
  it('of an erased client can no longer be opened; that of others can', async () => {
    file('erased.csv', `${head}1600000000,zoe,1,,0,x\n1600000001,tom,1,,0,x\n1600000002,zoe,1,,0,x\n`);
    await run('import erased.csv -m payments.yaml -w bank');
    expect(await clients('erased')).toEqual(['zoe', 'tom', 'zoe']);
    await eraseClient(scene, scene.workspace, 'zoe');
    expect(await clients('erased')).toEqual(['unreadable', 'tom', 'unreadable']);
  });

  it('is listed, and removed', async () => {
    expect((await run('history list -w bank')).out).toMatch(/^erased +3 +0 +3 +2020-09-13 12:26:40Z .* mara$/m);
    expect(await run('history remove erased --yes -w bank')).toMatchObject({ code: 0 });
    expect((await run('history list -w bank')).out).not.toContain('erased');
    const left = await pool.query(`select 1 from history_segment where name = 'erased'`);
    expect(left.rowCount).toBe(0);
  });
});
