/**
 * Replays a log and compares it with what was recorded: differences are shown, and what can't be reproduced is
 * reported.
 */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { PolicyCache } from '../../../src/policies/policy-cache.ts';
import { type Verification, verifyLog } from '../../../src/backtest/replay/verify-log.ts';
import { eraseClient } from '../../../src/tenancy/subjects/erase-client.ts';
import { makeScene, type Scene } from '../../decide/support.ts';
import { type Installation, makeInstallation } from '../../support/installation.ts';
import { ringfence, type Said } from '../../support/terminal.ts';

const clients = ['ana', 'ben', 'eva'];
let home: Installation;
let scene: Scene;
beforeAll(async () => {
  home = await makeInstallation();
  scene = await makeScene(home);
  scene.startHost();
  await payments();
});
afterAll(async () => {
  await scene.close();
  await home.close();
});

/** For each client a login and eight payments to a payee: the burst rule 301 fires at the sixth. */
async function payments(): Promise<void> {
  for (const client of clients) {
    await scene.send('login', { channelId: 1, user: client, session: client, publicIp: '203.0.113.7', data: 'd' });
    for (let i = 0; i < 8; i++) {
      await scene.send('operation', {
        channelId: 1,
        timestamp: new Date().toISOString(),
        account: { client, session: client },
        order: { amount: 10 + i, currency: 'MXN' },
        accountTo: { bank: 'B1', accountNumber: '1' },
      });
    }
  }
  await scene.settled();
}

async function verified(): Promise<Verification> {
  const { pool, log, subjects, workspace } = scene;
  return verifyLog({ pool, log, subjects, policies: new PolicyCache(pool) }, workspace, () => {});
}

function command(line: string): Promise<Said> {
  return ringfence(line, { environment: home.environment });
}

/** Changes the database for one test. */
async function tampered<Result>(
  change: string,
  undo: (before: readonly Record<string, unknown>[]) => Promise<unknown>,
  work: () => Promise<Result>,
): Promise<Result> {
  const { rows } = await scene.pool.query<Record<string, unknown>>(change, [scene.workspace.id]);
  try {
    return await work();
  } finally {
    await undo(rows);
  }
}

describe('an untouched log', () => {
  it('is reproduced, by its chain and row by row', async () => {
    const found = await verified();
    expect(found).toMatchObject({
      verdict: 'same',
      decisions: { recorded: 27, replayed: 27 },
      withoutRow: 0,
      differences: { unexplained: 0, afterGap: 0 },
      first: undefined,
      gaps: [],
    });
    expect(found.digest.replayed).toBe(found.digest.recorded);
  });

  it('the command reports it and exits with 0', async () => {
    const said = await command('replay --verify');
    expect(said).toMatchObject({ code: 0, err: '' });
    expect(said.out).toContain('bank/production: every decision equals the recorded one\n');
    expect(said.out).toMatch(/27 decisions, SHA-256 [0-9a-f]{64}\n/);
    const json = await command('replay --verify -w bank --json');
    expect(JSON.parse(json.out)).toMatchObject([{ workspace: 'bank/production', verdict: 'same' }]);
  });

  it('the command requires --verify', async () => {
    expect(await command('replay')).toMatchObject({ code: 2 });
  });
});

describe('a decision that was changed afterwards', () => {
  const forgetRule = `update event e set fired = '{}' from (
      select "offset", fired from event where workspace_id = $1 and 301 = any(fired) order by "offset" limit 1) old
    where e.workspace_id = $1 and e."offset" = old."offset" returning old."offset", old.fired`;
  const undo = ([row]: readonly Record<string, unknown>[]): Promise<unknown> =>
    scene.pool.query(`update event set fired = $3 where workspace_id = $1 and "offset" = $2`, [
      scene.workspace.id,
      row!['offset'],
      row!['fired'],
    ]);

  it('is found although the chain agrees, and shown in words', async () => {
    const found = await tampered(forgetRule, undo, verified);
    expect(found).toMatchObject({ verdict: 'different', differences: { unexplained: 1, afterGap: 0 } });
    expect(found.digest.replayed).toBe(found.digest.recorded);
    expect(found.first).toMatchObject({ kind: 'operation', event: expect.stringMatching(/^evt_(?:test_)?\d+_\d+$/) });
    expect(found.first!.changes).toContainEqual(
      expect.objectContaining({ what: 'rules', recorded: 'none', replayed: expect.stringContaining('301') }),
    );
    expect((await verified()).verdict).toBe('same');
  });

  it('the command exits with 1', async () => {
    const said = await tampered(forgetRule, undo, () => command('replay --verify'));
    expect(said.code).toBe(1);
    expect(said.out).toContain('DIFFERENT: 1 decision not as recorded');
    expect(said.out).toMatch(/first difference: operation evt_(?:test_)?\d+_\d+ \(offset \d+\)/);
    expect(said.out).toMatch(/rules: none then, (?:\d+, )*301/);
  });

  it('is found in an action, and in what was recorded of the chain', async () => {
    const other = await tampered(
      `update action set action = 5 where id = (
         select id from action where workspace_id = $1 and reason = 301 order by seq limit 1) returning id`,
      ([row]) => scene.pool.query(`update action set action = 2 where id = $1`, [row!['id']]),
      verified,
    );
    expect(other.verdict).toBe('different');
    expect(other.first!.changes).toEqual([
      expect.objectContaining({ what: 'actions', recorded: '5 (rule 301)', replayed: '2 (rule 301)' }),
    ]);
    const chain = await tampered(
      `update engine_position set digest = sha256(digest) where workspace_id = $1 returning '1'`,
      async () => {},
      verified,
    );
    expect(chain).toMatchObject({ verdict: 'different', first: undefined, differences: { unexplained: 0 } });
    await scene.pool.query(`update engine_position set digest = decode($2, 'hex') where workspace_id = $1`, [
      scene.workspace.id,
      chain.digest.replayed,
    ]);
  });
});

describe('what can’t be reproduced', () => {
  beforeEach(() => scene.settled());

  it('is reported: decisions of another engine version', async () => {
    const { log, workspace } = scene;
    await log.append(workspace.id, { kind: 'engine', payload: Buffer.from('{"version":"0"}') });
    await payments();
    const found = await verified();
    expect(found).toMatchObject({ verdict: 'same', differences: { unexplained: 0, afterGap: 0 } });
    expect(found.gaps).toEqual([
      expect.objectContaining({ kind: 'engine', reason: expect.stringContaining('engine version 0') }),
    ]);
  });

  it('is reported: events of an erased client, after which nothing is guaranteed', async () => {
    const ofBen = 18;
    expect(await eraseClient(scene, scene.workspace, 'ben')).toBeDefined();
    await scene.settled();
    const found = await verified();
    expect(found.verdict).toBe('partly');
    expect(found.differences.unexplained).toBe(0);
    expect(found.gaps).toContainEqual(
      expect.objectContaining({ kind: 'erased', records: ofBen, reason: 'events of 1 client that was erased since' }),
    );
    const said = await command('replay --verify');
    expect(said).toMatchObject({ code: 0, out: expect.stringContaining('cannot be reproduced: offsets ') });
  });

  it('does not hide a difference before it', async () => {
    const found = await tampered(
      `update event e set matched = false, mismatch = 'noLogin' where workspace_id = $1
          and "offset" = (select min("offset") from event where workspace_id = $1 and kind = 'operation') returning "offset"`,
      ([row]) =>
        scene.pool.query(`update event set matched = true, mismatch = null where workspace_id = $1 and "offset" = $2`, [
          scene.workspace.id,
          row!['offset'],
        ]),
      verified,
    );
    // Ana's first operation, before the first of Ben's events.
    expect(found).toMatchObject({ verdict: 'different', differences: { unexplained: 1 } });
    expect(found.first!.changes).toEqual([{ what: 'session', recorded: 'not matched: noLogin', replayed: 'matched' }]);
  });
});
