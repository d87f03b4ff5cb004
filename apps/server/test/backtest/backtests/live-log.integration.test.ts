/**
 * A backtest is the live engine: the live policy over the live log reproduces the recorded decisions bit for bit, with
 * racing logins, waiting operations, retries, outcomes, blocks and restarts of the host.
 */
import { randomUUID } from 'node:crypto';
import { parseCidr } from '@ringfence/delivery';
import { loadPolicy } from '@ringfence/policy';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { type BacktestWithResult, readBacktest } from '../../../src/backtest/backtests/backtest-rows.ts';
import { runStoredBacktest } from '../../../src/backtest/backtests/run-stored-backtest.ts';
import { type BacktestRequest, startBacktest } from '../../../src/backtest/backtests/start-backtest.ts';
import { type ScoredEvent, unpackScored } from '../../../src/backtest/backtests/scored-event.ts';
import { HistoryReader } from '../../../src/history/history-bytes.ts';
import { readPolicyFolder } from '../../../src/config/policy-folder.ts';
import { starterPolicyFolder } from '../../../src/config/first-start.ts';
import { changeList, type WantedChange } from '../../../src/policies/directives/change-list.ts';
import { eraseClient } from '../../../src/tenancy/subjects/erase-client.ts';
import { readWorkspace, updateWorkspace } from '../../../src/tenancy/workspaces/workspace-store.ts';
import { makeScene, type Scene } from '../../decide/support.ts';
import { type Installation, makeInstallation } from '../../support/installation.ts';
import { patience } from '../../../../../tools/testing/patience.ts';

let home: Installation;
let scene: Scene;
let recorded: { readonly decided: number; readonly digest: string };

/** A small seeded generator: the same traffic in every run. */
function randomOf(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

beforeAll(async () => {
  home = await makeInstallation();
  scene = await makeScene(home);
  // Operations wait a second for their login.
  const deps = { ...home.deps, allowPrivateWebhooks: [parseCidr('127.0.0.0/8')!] };
  await updateWorkspace(deps, scene.workspace.id, { settings: { sessionGraceSeconds: 1 }, actor: 'api' });
  const host = scene.startHost();
  const random = randomOf(11);
  const references = Array.from({ length: 60 }, () => randomUUID());
  for (let i = 0; i < 500; i++) {
    const client = `client-${random(9)}`;
    const session = `s-${random(3)}`;
    const kind = random(12);
    if (kind < 3) {
      await scene.send('login', { channelId: 1, user: client, session, publicIp: `203.0.113.${random(6)}`, data: '' });
    } else if (kind < 4) await scene.send('logout', { channelId: 1, user: client, session });
    else {
      await scene.send('operation', {
        channelId: 1,
        timestamp: new Date(Date.now() - random(3_600_000)).toISOString(),
        account: { client, session },
        order: { amount: 1 + random(50_000), currency: 'MXN' },
        accountTo: { bank: 'B1', accountNumber: String(random(5)) },
        transaction: { reference: references[random(60)] },
      });
    }
    if (i % 50 === 49) await executeSome();
    if (i === 120) await changeMules({ put: [{ parts: ['B1/3'] }], remove: [] });
    if (i === 380) await changeMules({ put: [], remove: [{ parts: ['B1/3'] }] });
    if (i === 211) await host.stop();
    if (i === 240) scene.startHost();
  }
  await everythingDecided();
  const found = await scene.pool.query<{ decided: number; digest: Buffer }>(
    `select decided, digest from engine_position where workspace_id = $1`,
    [scene.workspace.id],
  );
  recorded = { decided: found.rows[0]!.decided, digest: found.rows[0]!.digest.toString('hex') };
});
afterAll(async () => {
  await scene.close();
  await home.close();
});

/** Includes the operations that waited for their login: ticks of the host decide them. */
async function everythingDecided(): Promise<void> {
  await vi.waitFor(async () => {
    const waiting = await scene.pool.query(`select 1 from event where status = 'waiting' limit 1`);
    expect(waiting.rowCount).toBe(0);
  }, patience);
  await scene.settled();
}

/** A payee is reported as a mule, and cleared later. */
async function changeMules(change: Pick<WantedChange, 'put' | 'remove'>): Promise<void> {
  const deps = { ...home.deps, subjects: scene.subjects };
  const told = { list: 'mulesKnown', author: 'test', comment: '', nowMs: Date.now() };
  await changeList(deps, scene.workspace, { ...told, ...change });
}

/** The bank executes the requested actions: sessions end, clients are blocked. */
async function executeSome(): Promise<void> {
  const { rows } = await scene.pool.query<{
    offset: number;
    reason: number;
    position: number;
    action: number;
    subject: string;
  }>(
    `select "offset", reason, position, action, subject from action
      where workspace_id = $1 and subject is not null and action in (1, 2) order by seq desc limit 3`,
    [scene.workspace.id],
  );
  for (const { subject, ...outcome } of rows) {
    const payload = Buffer.from(JSON.stringify({ ...outcome, result: 'executed' }));
    await scene.log.append(scene.workspace.id, { kind: 'outcome', subject, payload });
  }
}

async function backtest(wanted: Partial<BacktestRequest> = {}): Promise<BacktestWithResult> {
  const workspace = await readWorkspace(home.deps, scene.workspace.id);
  const request = { candidate: { version: 1 }, against: 'nothing', author: 'test', ...wanted } as const;
  const id = await startBacktest(scene.pool, workspace, request);
  expect(await runStoredBacktest(scene, { workspace, id }, () => true)).toBe('done');
  return readBacktest(scene.pool, workspace.id, id);
}

it('the live policy over the live log reproduces the recorded decisions', async () => {
  const { result } = await backtest();
  expect(result!.digest).toBe(recorded.digest);
  const { decided, repeats } = result!.events;
  expect(decided + repeats).toBe(recorded.decided);
  expect(repeats).toBeGreaterThan(0);
  expect(result!.candidate.flagged.events).toBeGreaterThan(0);
});

it('each decided event of the live log gets the sum of the scores of its live rules', async () => {
  const workspace = await readWorkspace(home.deps, scene.workspace.id);
  const id = await startBacktest(scene.pool, workspace, { candidate: { version: 1 }, against: 'live', author: 'test' });
  const scored: ScoredEvent[] = [];
  const onScores = (packed: Uint8Array): void => {
    const reader = new HistoryReader(packed);
    while (!reader.done) scored.push(unpackScored(reader));
  };
  expect(await runStoredBacktest(scene, { workspace, id, scores: { choice: 'rules', onScores } }, () => true)).toBe(
    'done',
  );
  const { rows } = await scene.pool.query<{ offset: number; subject: string | null }>(
    `select "offset", subject from event where workspace_id = $1 and status = 'decided' order by "offset"`,
    [scene.workspace.id],
  );
  expect(scored.toSorted((a, b) => a.offset - b.offset).map(({ offset, subject }) => [offset, subject])).toEqual(
    rows.map(({ offset, subject }) => [offset, subject ?? undefined]),
  );
  const { result } = await readBacktest(scene.pool, workspace.id, id);
  const loaded = loadPolicy(readPolicyFolder(starterPolicyFolder));
  const scores = new Map(loaded.ok ? loaded.policy.rules.map(({ reason, score }) => [reason, score]) : []);
  const total = result!.candidate.rules
    .filter(({ mode }) => mode === 'live')
    .reduce((sum, { reason, matches }) => sum + matches.events * scores.get(reason)!, 0);
  expect(total).toBeGreaterThan(0);
  expect(scored.reduce((sum, { score }) => sum + score, 0)).toBe(total);
});

it('its own files are recognized as the deciding version: the same result, and no changes', async () => {
  const { result, policyVersion } = await backtest({
    candidate: { files: readPolicyFolder(starterPolicyFolder) },
    against: 'live',
  });
  expect(policyVersion).toBe(1);
  expect(result!.digest).toBe(recorded.digest);
  expect(result!.live).toEqual(result!.candidate);
  expect(result!.changes).toMatchObject({ newlyFlagged: { events: 0 }, noLongerFlagged: { events: 0 } });
});

it('a feature that leaves out the event is the total without it, also for late events and those that waited', async () => {
  const total = 'sum: order.amount, by: client.id, over: 1h';
  const count = 'count: true, by: [client.id, payee.id], over: 20m, on: operation';
  const isWithout = 'total == before + order.amount && times == timesBefore + 1';
  const text = `features:
  total: { ${total} }
  before: { ${total}, excluding: this }
  times: { ${count} }
  timesBefore: { ${count}, excluding: this }
  usual: { avg: order.amount, by: client.id, over: 1h, excluding: this }
rules:
  - { reason: 1, name: without the event, when: '${isWithout}', then: { action: 4, message: m } }
  - { reason: 2, name: anything else, on: operation, when: '!(${isWithout})', then: { action: 4, message: m } }
  - { reason: 3, name: nothing before, when: 'before == 0 && !has(usual)', then: { action: 4, message: m } }
  - { reason: 4, name: something before, when: 'before > 0 && has(usual)', then: { action: 4, message: m } }
`;
  const { result } = await backtest({ candidate: { files: [{ path: 'policy.yaml', text }] } });
  const matches = new Map(result!.candidate.rules.map(({ reason, matches: of }) => [reason, of.events]));
  const { rows } = await scene.pool.query<{ operations: number }>(
    `select count(*)::integer as operations from event
      where workspace_id = $1 and kind = 'operation' and status = 'decided'`,
    [scene.workspace.id],
  );
  expect(matches.get(1)).toBe(rows[0]!.operations);
  expect(matches.get(2)).toBe(0);
  expect(matches.get(3)! + matches.get(4)!).toBe(rows[0]!.operations);
  expect(matches.get(3)).toBeGreaterThan(0);
});

it('the result counts what the rows show', async () => {
  const { result } = await backtest();
  const { rows } = await scene.pool.query<{ reason: number; events: number }>(
    `select reason, count(*)::integer as events from event, unnest(fired) as reason
      where workspace_id = $1 group by reason order by reason`,
    [scene.workspace.id],
  );
  const acted = result!.candidate.rules
    .filter(({ mode, matches, suppressed }) => mode === 'live' && matches.events > suppressed)
    .map(({ reason, matches, suppressed }) => ({ reason, events: matches.events - suppressed }));
  expect(acted).toEqual(rows);
});

it('items are on a live list between their records in the log', async () => {
  const rule = (of: BacktestWithResult): number =>
    of.result!.candidate.rules.find(({ reason }) => reason === 402)!.matches.events;
  const always = {
    path: 'rules.yaml',
    text: `rules:
  - { reason: 402, name: to the payee, on: [operation], when: payee.id == "B1/3", then: { action: 4, message: x } }
`,
  };
  const listed = rule(await backtest());
  expect(listed).toBeGreaterThan(0);
  expect(listed).toBeLessThan(rule(await backtest({ candidate: { files: [always] } })));
});

it('another policy decides differently, and is not a version', async () => {
  const files = [
    {
      path: 'rules.yaml',
      text: `rules:
  - { reason: 5, name: large, on: [operation], when: order.amount > 40000, then: { action: 4, message: x } }
`,
    },
  ];
  const { result, policyVersion } = await backtest({ candidate: { files }, against: 'live' });
  expect(policyVersion).toBeUndefined();
  expect(result!.digest).not.toBe(recorded.digest);
  const [rule] = result!.candidate.rules;
  expect(rule!.matches.events).toBeGreaterThan(0);
  const { newlyFlagged, noLongerFlagged } = result!.changes!;
  expect(result!.live!.flagged.events + newlyFlagged.events - noLongerFlagged.events).toBe(rule!.matches.events);
});

it('a shorter period counts fewer events, and decides them with everything before it', async () => {
  const { rows } = await scene.pool.query<{ at: Date }>(
    `select logged_at as at from event where workspace_id = $1 order by "offset" offset 250 limit 1`,
    [scene.workspace.id],
  );
  const middleMs = rows[0]!.at.getTime();
  const whole = (await backtest()).result!;
  const first = (await backtest({ toMs: middleMs })).result!;
  const second = (await backtest({ fromMs: middleMs })).result!;
  expect(first.events.decided + second.events.decided).toBe(whole.events.decided);
  expect(first.events.decided).toBeGreaterThan(0);
  expect(first.candidate.flagged.events + second.candidate.flagged.events).toBe(whole.candidate.flagged.events);
  expect(second.digest).toBe(recorded.digest);
});

it('events of an erased client are reported, and not decided', async () => {
  await eraseClient(scene, scene.workspace, 'client-4');
  await scene.settled();
  const { result } = await backtest();
  expect(result!.events.unreadable).toBeGreaterThan(0);
  expect(result!.digest).not.toBe(recorded.digest);
});
