/** A policy tested on imported history, with every figure computed by hand. */
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type BacktestWithResult, readBacktest } from '../../../src/backtest/backtests/backtest-rows.ts';
import type { ExampleDetail } from '../../../src/backtest/backtests/example-detail.ts';
import { WorkerHandle } from '../../../src/backtest/backtests/worker-handle.ts';
import { packRecord } from '../../../src/history/record-codec.ts';
import { HistoryWriter } from '../../../src/history/history-bytes.ts';
import { eraseClient } from '../../../src/tenancy/subjects/erase-client.ts';
import { applyPolicy } from '../../../src/policies/policy-store.ts';
import { makeScene, type Scene } from '../../decide/support.ts';
import { type Installation, makeInstallation } from '../../support/installation.ts';
import { ringfence, type Said } from '../../support/terminal.ts';

let home: Installation;
let scene: Scene;
let folder: string;

/** Live: payments above 100. */
const liveRules = `rules:
  - { reason: 1, name: large, on: [operation], when: order.amount > 100, then: { action: 4, message: x } }
`;
/** The candidate: above 200; the third to one payee within an hour by any payer; and one in shadow. */
const candidateRules = `features:
  payeePayments1h: { count: true, by: payee.id, over: 1h }
rules:
  - { reason: 1, name: large, on: [operation], when: order.amount > 200, then: { action: 4, message: x } }
  - { reason: 2, name: busy payee, on: [operation], when: payeePayments1h >= 3, then: { action: 2, message: x }, cooldown: 1h per client }
  - { reason: 3, name: any, on: [operation], when: order.amount > 0, then: { action: 4, message: x }, mode: shadow }
`;

/** Minute, client, payee, amount, fraud. */
const payments = [
  [0, 'ana', 'p1', '150', 0], // live
  [1, 'ben', 'p1', '250.50', 1], // live, 1
  [2, 'eva', 'p1', '20', 1], // 2: the third to p1
  [3, 'eva', 'p1', '30', 0], // 2, within its cooldown
  [4, 'ana', 'p2', '500', 0], // live, 1
  [5, 'zoe', 'p2', '10', 1], // none
  [6, 'zoe', 'p3', '120', ''], // live
] as const;

beforeAll(async () => {
  home = await makeInstallation();
  scene = await makeScene(home);
  folder = mkdtempSync(join(tmpdir(), 'ringfence-backtest-'));
  const rows = payments.map(([minute, ...rest]) => [1_600_000_000 + minute * 60, ...rest].join());
  write('payments.csv', `at,client,payee,amount,fraud\n${rows.join('\n')}\n`);
  write(
    'mapping.yaml',
    `time: { column: at, format: epoch-seconds }
kind: operation
label: { column: fraud, fraud: [1], legitimate: [0] }
operation:
  channelId: { value: 1 }
  account.client: client
  accountTo.accountNumber: payee
  order.amount: amount
  order.currency: { value: MXN }
`,
  );
  mkdirSync(join(folder, 'next'));
  write('next/rules.yaml', candidateRules);
  const files = [{ path: 'rules.yaml', text: liveRules }];
  await applyPolicy(home.deps, scene.workspace.id, { files, author: 'test', comment: '', actor: 'api' });
  await run('import payments.csv -m mapping.yaml -w bank');
});
afterAll(async () => {
  await scene.close();
  await home.close();
  rmSync(folder, { recursive: true, force: true });
});

function write(name: string, text: string): void {
  writeFileSync(join(folder, name), text);
}

function run(line: string, stop?: AbortSignal): Promise<Said> {
  const environment = { ...home.environment, USER: 'mara' };
  return ringfence(line, { environment, folder, ...(stop === undefined ? {} : { stop }) });
}

type Printed = BacktestWithResult & { readonly examples: readonly ExampleDetail[] };

async function backtest(options = ''): Promise<Printed> {
  const said = await run(`backtest --policy next --history payments -w bank --json${options}`);
  expect(said).toMatchObject({ code: 0, err: '' });
  return JSON.parse(said.out) as Printed;
}

describe('a backtest', () => {
  it('reports what the policy would have done, and what changes', async () => {
    const { result, state, policyVersion, against, author } = await backtest();
    expect({ state, policyVersion, against, author }).toEqual({
      state: 'done',
      policyVersion: undefined,
      against: 2,
      author: 'mara',
    });
    expect(result!.events).toEqual({ decided: 7, fraud: 3, legitimate: 3, repeats: 0, unreadable: 0, waiting: 0 });
    expect(result!.candidate).toMatchObject({
      flagged: { events: 4, fraud: 2, legitimate: 2, unlabelled: 0 },
      clients: 3,
      legitimateClients: 2,
      precision: 0.5,
      recall: 2 / 3,
      money: [{ currency: 'MXN', fraud: '270.50', legitimate: '530.00', unlabelled: '0.00' }],
      missed: { events: 1, money: [{ currency: 'MXN', fraud: '10', legitimate: '0', unlabelled: '0' }] },
      actions: [
        { action: 2, count: 1, capped: 0 },
        { action: 4, count: 2, capped: 0 },
      ],
      rules: [
        { reason: 1, mode: 'live', matches: { events: 2, fraud: 1, legitimate: 1, unlabelled: 0 }, actions: 2 },
        {
          reason: 2,
          mode: 'live',
          matches: { events: 2, fraud: 1, legitimate: 1, unlabelled: 0 },
          suppressed: 1,
          actions: 1,
        },
        { reason: 3, mode: 'shadow', matches: { events: 7, fraud: 3, legitimate: 3, unlabelled: 1 }, actions: 0 },
      ],
    });
    expect(result!.live).toMatchObject({
      flagged: { events: 4, fraud: 1, legitimate: 2, unlabelled: 1 },
      recall: 1 / 3,
    });
    expect(result!.changes).toMatchObject({
      newlyFlagged: { events: 2, fraud: 1, legitimate: 1 },
      noLongerFlagged: { events: 2, fraud: 0, legitimate: 1, unlabelled: 1 },
    });
  });

  it('runs rules in shadow as if live, if asked to', async () => {
    const { result, asLive } = await backtest(' --as-live');
    expect({ asLive, ran: result!.asLive }).toEqual({ asLive: 'all', ran: [3] });
    expect(result!.candidate).toMatchObject({
      flagged: { events: 7, fraud: 3, legitimate: 3, unlabelled: 1 },
      recall: 1,
      missed: { events: 0, money: [] },
      money: [{ currency: 'MXN', fraud: '280.50', legitimate: '680.00', unlabelled: '120.00' }],
    });
    // Its mode stays as written, and its actions count.
    expect(result!.candidate.rules[2]).toMatchObject({ reason: 3, mode: 'shadow', actions: 7 });
    const { out } = await run('backtest --policy next --history payments -w bank --as-live new');
    expect(out).toContain('In shadow, ran as if live: 3.\n');
    expect(await backtest()).toMatchObject({ asLive: 'none', result: { asLive: [] } });
  });

  it('compares the values of a parameter', async () => {
    mkdirSync(join(folder, 'varied'), { recursive: true });
    write(
      'varied/rules.yaml',
      `params: { large: { type: decimal, default: 200 } }
rules:
  - { reason: 1, name: large, on: [operation], when: order.amount > params.large, then: { action: 4, message: x } }
`,
    );
    const { out } = await run('backtest --policy varied --history payments -w bank --vary large=400,100,250.5');
    expect(out).toContain('Values of large: the candidate has 200; matches of rules 1.\n');
    expect(out).toMatch(/^ *100 +4 +1 +2 +4 +33\.3 % +250\.50 +650\.00$/m);
    expect(out).toMatch(/^ *250\.5 +1 +0 +1 +1 +0\.0 % +0 +500$/m);
    expect(out).toMatch(/^ *400 +1 +0 +1 +1 +0\.0 % +0 +500$/m);
  });

  it('lists the rules that matched nothing, with their modes', async () => {
    mkdirSync(join(folder, 'silent'), { recursive: true });
    write(
      'silent/rules.yaml',
      `${candidateRules}  - { reason: 4, name: huge, on: [operation], when: order.amount > 9000, then: { action: 4, message: x }, mode: shadow }
  - { reason: 5, name: idle, on: [operation], when: order.amount > 0, then: { action: 4, message: x }, mode: off }
`,
    );
    const options = 'backtest --policy silent --history payments -w bank';
    const { out } = await run(options);
    expect(out).toContain('Rules that matched no event:\n  4 huge (shadow)\n  5 idle (off)\n');
    const { result } = JSON.parse((await run(`${options} --json`)).out) as { result: { unmatched: unknown } };
    expect(result.unmatched).toEqual([
      { reason: 4, name: 'huge', mode: 'shadow' },
      { reason: 5, name: 'idle', mode: 'off' },
    ]);
  });

  it('shows events, and the reasons', async () => {
    const { examples } = await backtest();
    const of = (list: string, reason?: number): readonly string[] =>
      examples.filter((one) => one.list === list && one.reason === reason).map((one) => `${one.event} ${one.client}`);
    expect(of('rule', 1)).toEqual(['1 ben', '4 ana']);
    expect(of('newlyFlagged')).toEqual(['2 eva', '3 eva']);
    expect(of('noLongerFlagged')).toEqual(['0 ana', '6 zoe']);
    const third = examples.find((one) => one.list === 'newlyFlagged')!;
    expect(third).toMatchObject({ kind: 'operation', label: 'fraud', amount: '20', at: '2020-09-13T12:28:40.000Z' });
    expect(third.rules[0]).toMatchObject({
      reason: 2,
      conditions: [{ text: 'payeePayments1h >= 3', holds: true, values: { payeePayments1h: '3' } }],
    });
  });

  it('is repeatable, and stored', async () => {
    const [first, second] = [await backtest(), await backtest()];
    expect(second.result).toEqual(first.result);
    expect(second.examples).toEqual(first.examples);
    expect(second.id).toBeGreaterThan(first.id);
    expect(first.result!.digest).toMatch(/^[0-9a-f]{64}$/);
  });

  it('counts the requested period, and includes what came before in the features', async () => {
    const { result } = await backtest(' --from 2020-09-13T12:28:40Z --to 2020-09-13T12:30:40Z --against nothing');
    expect(result).toMatchObject({ events: { decided: 2 }, candidate: { flagged: { events: 2, fraud: 1 } } });
    expect(result!.live).toBeUndefined();
  });

  describe('with --scores', () => {
    beforeAll(() => {
      mkdirSync(join(folder, 'scoring'));
      write(
        'scoring/rules.yaml',
        `rules:
  - { reason: 1, name: large, on: [operation], when: order.amount > 100, score: 30, then: { action: 4, message: x } }
  - { reason: 2, name: huge, on: [operation], when: order.amount > 200, score: 25, then: { action: 4, message: x }, cooldown: 1h per client }
  - { reason: 3, name: any, on: [operation], when: order.amount > 0, score: 7, then: { action: 4, message: x }, mode: shadow }
`,
      );
    });
    const options = 'backtest --policy scoring --history payments -w bank --scores scores.csv';
    const lines = (): readonly string[] => readFileSync(join(folder, 'scores.csv'), 'utf8').trimEnd().split('\n');

    it('writes a line for each event, and nothing that names a client', async () => {
      expect((await run(options)).out).toContain(`Scores of 7 events: ${join(folder, 'scores.csv')}\n`);
      const [header, ...events] = lines().map((line) => line.split(','));
      expect(header).toEqual(['offset', 'client', 'at', 'label', 'score']);
      expect(events.map(([offset, , at, label, score]) => [offset, at, label, score].join(' '))).toEqual([
        '0 2020-09-13T12:26:40.000Z legitimate 30',
        '1 2020-09-13T12:27:40.000Z fraud 55',
        '2 2020-09-13T12:28:40.000Z fraud 0',
        '3 2020-09-13T12:29:40.000Z legitimate 0',
        '4 2020-09-13T12:30:40.000Z legitimate 55',
        '5 2020-09-13T12:31:40.000Z fraud 0',
        '6 2020-09-13T12:32:40.000Z  30',
      ]);
      const { rows } = await scene.pool.query<{ id: string }>(`select id from subject`);
      const clients = events.map(([, client]) => client!);
      expect(rows.map(({ id }) => id)).toEqual(expect.arrayContaining(clients));
      // ana, ben, eva, eva, ana, zoe, zoe
      expect(clients.map((client) => clients.indexOf(client))).toEqual([0, 1, 2, 2, 0, 5, 5]);
      expect(statSync(join(folder, 'scores.csv')).mode & 0o777).toBe(0o600);
    });

    it('writes the same file again, and the same result as without it', async () => {
      const [first, second] = [
        JSON.parse((await run(`${options} --json`)).out),
        JSON.parse((await run(`${options} --json`)).out),
      ];
      expect(first.scores).toEqual({
        file: join(folder, 'scores.csv'),
        lines: 7,
        sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
      });
      expect(second.scores).toEqual(first.scores);
      const without = JSON.parse((await run('backtest --policy scoring --history payments -w bank --json')).out);
      expect(without.scores).toBeUndefined();
      expect(second.result).toEqual(without.result);
    });

    it('counts as the result does, of the requested period', async () => {
      await run(`${options} --from 2020-09-13T12:28:40Z --to 2020-09-13T12:30:40Z --against nothing`);
      expect(lines().map((line) => line.split(',')[0])).toEqual(['offset', '2', '3']);
    });

    it('stopped or refused, leaves no file and keeps an older one', async () => {
      write('older.csv', 'older');
      const stopped = await run(options.replace('scores.csv', 'older.csv'), AbortSignal.abort());
      expect(stopped).toMatchObject({ code: 1, out: '' });
      expect(readFileSync(join(folder, 'older.csv'), 'utf8')).toBe('older');
      expect(existsSync(join(folder, 'older.csv.partial'))).toBe(false);
      const vary = await run(`${options.replace('scores.csv', 'new.csv')} --vary large=1,2`);
      expect(vary).toMatchObject({ code: 2, err: expect.stringContaining('--scores: cannot be used with --vary') });
      const nowhere = await run(options.replace('scores.csv', 'missing/new.csv'));
      expect(nowhere).toMatchObject({ code: 1, err: expect.stringContaining('there is no such folder') });
      expect(existsSync(join(folder, 'new.csv'))).toBe(false);
    });
  });

  it('is readable', async () => {
    const { out } = await run('backtest --policy next --history payments -w bank --examples');
    expect(out).toContain(
      ': the candidate on history payments, compared with the live version 2.\n7 events, labelled 3 fraud and 3 legitimate.',
    );
    expect(out).toMatch(/^fraud caught +2 +1 +\+1$/m);
    expect(out).toMatch(/^legitimate clients hit +2 +1 +\+1$/m);
    expect(out).toMatch(/^precision +50\.0 % +33\.3 %$/m);
    expect(out).toMatch(/^MXN fraud caught +270\.50 +250\.50$/m);
    expect(out).toMatch(/^2 +busy payee +live +2 +1 +1 +50\.0 % +1 +1 +1 +0 +0$/m);
    expect(out).toContain('Newly flagged: 2 events (1 fraud, 1 legitimate), MXN 20 of fraud\n');
    expect(out).toContain('      + payeePayments1h >= 3   payeePayments1h: 3\n');
    expect(out).toContain('The history has no logins');
    const later = await run('backtest --policy next --history payments -w bank --from 2020-09-13T12:28:40Z');
    expect(later.out).toContain('\nFrom 2020-09-13 12:28:40Z.\n');
  });
});

describe('a backtest that is refused', () => {
  it.each([
    ['--policy next --history none -w bank', 1, 'There is no history "none"'],
    ['--policy missing -w bank', 1, 'there is no such folder'],
    ['--policy next -w bank --from yesterday', 2, '--from: expected a date'],
    ['--policy next -w bank --from 2026-05-01 --to 2026-04-01', 2, '--to: expected a time after 2026-05-01'],
    ['--policy next -w bank --from 2026-05-01 --to 2026-05-01', 2, '--to: expected a time after 2026-05-01'],
    ['--policy next -w bank --against all', 2, '--against: expected live or nothing'],
    ['--policy next -w bank --as-live some', 2, '--as-live: expected all or new'],
    ['--policy next -w bank --vary large', 2, '--vary: expected name=1,2,3'],
    ['--policy next -w bank --vary large=1,2', 1, 'There is no parameter large in this policy'],
    ['-w bank', 2, "required option '--policy"],
  ])('%s: ends with %i', async (options, code, expected) => {
    expect(await run(`backtest ${options}`)).toMatchObject({ code, err: expect.stringContaining(expected) });
  });

  it('a policy with mistakes: all of them are listed', async () => {
    mkdirSync(join(folder, 'broken'));
    write(
      'broken/rules.yaml',
      'rules:\n  - { reason: 1, name: x, on: [operation], when: ordr.amount > 1, then: { action: 4, message: x } }\n',
    );
    expect(await run('backtest --policy broken --history payments -w bank')).toMatchObject({
      code: 1,
      err: expect.stringContaining('rules.yaml:2:'),
    });
  });

  it('stopped by a person, it stores no result', async () => {
    const said = await run('backtest --policy next --history payments -w bank', AbortSignal.abort());
    expect(said).toMatchObject({ code: 1, out: '', err: expect.stringContaining('No result was kept.') });
  });
});

it('live lists have their present content, and the result notes it', async () => {
  const rules = `lists: { watched: { of: client.id, live: true } }
rules:
  - { reason: 9, name: watched, on: [operation], when: client.id in lists.watched, then: { action: 4, message: x } }
`;
  mkdirSync(join(folder, 'watching'));
  write('watching/rules.yaml', rules);
  const files = [{ path: 'rules.yaml', text: rules }];
  await applyPolicy(home.deps, scene.workspace.id, { files, author: 'test', comment: '', actor: 'api' });
  expect(await run('list add watched zoe -w bank')).toMatchObject({ code: 0 });
  const said = await run('backtest --policy watching --history payments -w bank --json');
  const { result } = JSON.parse(said.out) as Printed;
  expect(result!.candidate.rules).toMatchObject([{ reason: 9, matches: { events: 2 } }]);
  expect(result!.notes).toContain(
    'Live lists start with their present items, from the first event on: watched (1 item).',
  );
  const before = [{ path: 'rules.yaml', text: liveRules }];
  await applyPolicy(home.deps, scene.workspace.id, { files: before, author: 'test', comment: '', actor: 'api' });
});

it('the candidate is named as a version only if that version is the same policy', async () => {
  const versionOf = async (id: number): Promise<number | undefined> =>
    (await readBacktest(scene.pool, scene.workspace.id, id)).policyVersion;
  const apply = async (text: string): Promise<number> => {
    const files = [{ path: 'rules.yaml', text }];
    const wanted = { files, author: 'test', comment: '', actor: 'api' } as const;
    return (await applyPolicy(home.deps, scene.workspace.id, wanted)).version;
  };
  const first = await backtest();
  await apply(liveRules.replace('rules:', '# another one\nrules:'));
  expect(await versionOf(first.id)).toBeUndefined();
  const second = await backtest();
  expect(await versionOf(second.id)).toBeUndefined();
  const applied = await apply(candidateRules);
  expect(await versionOf(second.id)).toBe(applied);
  await apply(liveRules);
});

it('data of an erased client is gone from history, result and examples', async () => {
  const { id } = await backtest();
  await eraseClient(scene, scene.workspace, 'eva');
  const { rows } = await scene.pool.query<{ result: object }>(`select result from backtest where id = $1`, [id]);
  expect(JSON.stringify(rows)).not.toContain('"eva"');
  const { result, examples } = await backtest();
  expect(result!.events).toMatchObject({ decided: 5, unreadable: 2 });
  expect(examples.map(({ client }) => client)).not.toContain('eva');
});

it('a policy that needs more memory than there is ends with an error, not in a crash', async () => {
  const files = [
    {
      path: 'rules.yaml',
      text: `features: { payers: { distinct: client.id, by: payee.id, over: 30d } }
rules: [{ reason: 1, name: x, on: [operation], when: payers > 3, then: { action: 4, message: x } }]
`,
    },
  ];
  const lane = new WorkerHandle({ files, asLive: [], version: 1, fromMs: 0, toMs: Infinity, isChained: false }, 24);
  const writer = new HistoryWriter();
  const batch = (from: number): Promise<unknown> => {
    for (let offset = from; offset < from + 4_000; offset++) {
      const logTimeMs = (1_600_000_000_000 + offset) as never;
      const event = {
        kind: 'operation',
        channelId: 1,
        account: { client: `client-${offset}` },
        accountTo: { accountNumber: `payee-${offset}` },
      } as const;
      const enrichment = { facts: {} };
      packRecord(
        writer,
        {
          kind: 'event',
          offset,
          logTimeMs,
          event,
          enrichment,
          subject: `s${offset}`,
          bodyHash: `h${offset}`,
          retryOf: undefined,
        },
        undefined,
      );
    }
    return lane.take(writer.take());
  };
  lane.begin({ offset: 0, logTimeMs: 1_600_000_000_000 as never, settings: undefined, labelsAtOnce: true });
  const filling = async (): Promise<void> => {
    for (let from = 0; from < 400_000; from += 4_000) await batch(from);
  };
  await expect(filling()).rejects.toThrow('needs more than the 24 MB that a backtest may use');
  await lane.stop();
});
