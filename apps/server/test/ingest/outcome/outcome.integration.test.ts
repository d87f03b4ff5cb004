/** Reports of outcomes over HTTP, from every path to the durable row. What is done with them is tested in `outcomes`. */
import { parseJson } from '@ringfence/contract';
import { Pool } from 'pg';
import type { LightMyRequestResponse } from 'fastify';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { acceptOutcome } from '../../../src/outcomes/accept-outcome.ts';
import { listOutcomes, type StoredOutcome } from '../../../src/outcomes/outcome-rows.ts';
import type { Workspace, WorkspaceSettings } from '../../../src/tenancy/workspaces/workspace.ts';
import { outcomeKit, type OutcomeKit } from '../../outcomes/support.ts';
import { developmentKey, doorKit, type DoorKit, problemOf, productionKey, type Sending } from '../support/door-kit.ts';

let kit: OutcomeKit;
let door: DoorKit;

const executed = { channelId: 1, outcome: 'executed', user: 'ana', reference: 'R-1' };

/** A door whose reports go into the workspace of the scene. */
async function doorOf(settings: Partial<WorkspaceSettings> = {}): Promise<DoorKit> {
  const { channels } = (await doorKit()).workspace;
  const workspace: Workspace = { ...kit.workspace, channels, settings: { ...kit.workspace.settings, ...settings } };
  return doorKit({
    settings,
    deps: {
      registry: {
        authenticate: (token, environment) => {
          const expected = environment === 'production' ? productionKey : developmentKey;
          return token === expected ? { workspace, keyId: 'lk_test' } : undefined;
        },
      },
      acceptOutcome: (of, outcome) => acceptOutcome(kit.acceptDeps(), of, outcome),
    },
  });
}

beforeAll(async () => {
  kit = await outcomeKit();
  door = await doorOf();
});
afterAll(() => kit.close());

async function stored(): Promise<readonly StoredOutcome[]> {
  return listOutcomes(kit, kit.workspace, { limit: 1_000 });
}

async function idOf(response: LightMyRequestResponse): Promise<string> {
  expect([response.statusCode, response.body]).toEqual([200, expect.stringMatching(/"id":"out_/)]);
  return response.json<{ id: string }>().id;
}

const send = (body: unknown, sending?: Sending): Promise<LightMyRequestResponse> => door.post('outcome', body, sending);

describe('200', () => {
  it.each([
    ['/api/v5/analytics/app/outcome', productionKey],
    ['/api/v5/analytics/web/outcome', productionKey],
    ['/api-dev/v5/analytics/app/outcome', developmentKey],
    ['/api-dev/v5/analytics/web/outcome', developmentKey],
  ])('POST %s is answered once the report is stored', async (path, key) => {
    const response = await send(executed, { path, key, headers: { 'x-request-id': 'checkout-1' } });
    const id = await idOf(response);
    expect(response.body).toBe(`{"id":"${id}","status":"accepted"}`);
    expect(response.headers).toMatchObject({
      'content-type': 'application/json; charset=utf-8',
      'x-request-id': 'checkout-1',
    });
    expect(response.headers['warning']).toBeUndefined();
    expect((await stored()).find((one) => one.id === id)).toMatchObject({
      outcome: 'executed',
      state: 'waiting',
      author: 'license key lk_test',
      message: executed,
    });
  });

  it('warns of what is accepted and should be mended', async () => {
    const body = '{"channelId":9,"outcome":"refund","user":"ana","reference":"R-1","loss":0.12345678,"currency":"gtq"}';
    expect((await send(body)).headers['warning']).toBe(
      '299 ringfence "loss has more than 6 decimals and was rounded to 6", ' +
        '299 ringfence "currency was taken in capitals and without spaces around it", ' +
        '299 ringfence "channelId is not a channel that this workspace configures"',
    );
  });

  it('is the answer to a retry with the same Idempotency-Key and the same JSON, however it is spelt', async () => {
    const headers = { 'idempotency-key': 'outcome-1' };
    const first = await send(executed, { headers });
    const id = await idOf(first);
    const spelt = `{ "reference": "R-1", "user": "\\u0061na", "outcome": "executed", "channelId": 1 }`;
    expect(parseJson(spelt)).toMatchObject({ ok: true, value: executed });
    const second = await send(spelt, { headers });
    expect(await idOf(second)).toBe(id);
    expect([first.headers['idempotency-replayed'], second.headers['idempotency-replayed']]).toEqual([
      undefined,
      'true',
    ]);
    const other = await send({ ...executed, reference: 'R-2' }, { headers });
    expect(problemOf(other)).toMatchObject({ status: 422, code: 'key.reused' });
  });

  it('is not confused with the Idempotency-Key of an event', async () => {
    const headers = { 'idempotency-key': 'shared-1' };
    await idOf(await send(executed, { headers }));
    const operation = { channelId: 1, timestamp: '2026-11-21T10:00:00', account: { client: 'ana' } };
    const scene = await doorKit();
    expect((await scene.post('operation', operation, { headers })).statusCode).toBe(200);
  });

  it('ignores Prefer: the report has no decision', async () => {
    const response = await send(executed, { headers: { prefer: 'wait=5' } });
    expect(response.json()).toMatchObject({ status: 'accepted' });
    expect(response.headers['preference-applied']).toBeUndefined();
  });
});

describe('403', () => {
  it.each(['fraud', 'legitimate', 'chargeback', 'unblocked', 'retracted'])(
    '%s by license key needs a setting of the workspace, and nothing is stored',
    async (outcome) => {
      const before = (await stored()).length;
      const problem = problemOf(await send({ ...executed, outcome }));
      expect(problem).toMatchObject({ status: 403, code: 'right.missing' });
      expect(problem.detail).toContain(`POST /management/v1/workspaces/${kit.workspace.id}/outcomes`);
      expect(problem.detail).toContain('outcomes.keyMayLabel');
      expect(await stored()).toHaveLength(before);
      const permitted = await doorOf({ outcomes: { keyMayLabel: true, fraudCodes: [] } });
      await idOf(await permitted.post('outcome', { ...executed, outcome }));
    },
  );
});

describe('4xx', () => {
  it('names all wrong members', async () => {
    const problem = problemOf(await send({ channelId: 'x', outcome: 'maybe', loss: -1, reference: 'R-1' }));
    expect(problem).toMatchObject({ status: 422, code: 'request.invalid', detail: '4 members are wrong.' });
    expect(problem.errors?.map(({ pointer }) => pointer)).toEqual(['/channelId', '/outcome', '/loss', '/user']);
    expect(door.refused.at(-1)).toMatchObject({ path: '/api/v5/analytics/app/outcome', code: 'request.invalid' });
    expect(door.refused.at(-1)?.errors.map(({ pointer }) => pointer)).toEqual([
      '/channelId',
      '/outcome',
      '/loss',
      '/user',
    ]);
  });

  it('refuses what is no JSON, or JSON that cannot be kept', async () => {
    for (const body of ['{', 'null', '{"note":"\\u0000"}', '{"user":"a","user":"b"}']) {
      expect([400, 422]).toContain((await send(body)).statusCode);
    }
    expect(problemOf(await send('{"note":"\\u0000"}')).code).toBe('json.malformed');
  });

  it('has the rules of the events for keys, methods, types, sizes and idempotency keys', async () => {
    expect(problemOf(await send(executed, { key: developmentKey })).code).toBe('key.invalid');
    const got = await door.app.inject({ method: 'GET', url: '/api/v5/analytics/app/outcome' });
    expect([problemOf(got).code, got.headers['allow']]).toEqual(['method.wrong', 'POST']);
    expect(problemOf(await send('a=b', { headers: { 'content-type': 'text/plain' } })).code).toBe('type.unsupported');
    expect(problemOf(await send({ ...executed, note: 'x'.repeat(70_000) })).code).toBe('body.tooLarge');
    const wrongKey = await send(executed, { headers: { 'idempotency-key': 'ñ' } });
    expect(problemOf(wrongKey)).toMatchObject({ code: 'request.invalid', errors: [{ pointer: '/Idempotency-Key' }] });
  });

  it('counts in the bucket of the key', async () => {
    const slow = await doorOf({ rateLimit: { perSecond: 1, burst: 2 } });
    const codes: number[] = [];
    for (let sent = 0; sent < 3; sent++) codes.push((await slow.post('outcome', executed)).statusCode);
    expect(codes).toEqual([200, 200, 429]);
  });
});

describe('503', () => {
  it('is the answer when the database does not store it, within two seconds', async () => {
    const gone = new Pool({ host: '127.0.0.1', port: 1 });
    const broken = await doorKit({
      deps: {
        acceptOutcome: (of, outcome) => acceptOutcome({ ...kit.acceptDeps(), pool: gone }, of, outcome),
      },
    });
    const response = await broken.post('outcome', executed);
    expect(problemOf(response)).toMatchObject({ status: 503, code: 'log.unavailable' });
    expect(response.headers['retry-after']).toBe('1');
    await gone.end();
  });
});
