/** What an integrator reads: refused requests, the webhook. Channels: `test/console/seen-channels.integration.test.ts`. */
import { hourMs, minuteMs } from '@ringfence/contract';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { httpReceiver } from '../deliver/support/receivers.ts';
import { login, managementKit, type ManagementKit, payment, problemOf } from './support/management-kit.ts';

interface Refused {
  readonly items: readonly { readonly requestId: string; readonly code: string }[];
  readonly next?: string;
  readonly counts: readonly object[];
}

let kit: ManagementKit;
beforeAll(async () => {
  kit = await managementKit();
});
afterAll(() => kit.close());

function refuse(requestId: string, of: { readonly workspaceId?: string; readonly code?: string } = {}): void {
  const { workspaceId = kit.workspace.id, code = 'event.invalid' } = of;
  kit.refused.note({
    atMs: kit.deps.now(),
    workspaceId,
    keyId: 'key_abc',
    requestId,
    method: 'POST',
    path: '/api/v5/analytics/app/login',
    status: 422,
    code: code as 'event.invalid',
    bodyBytes: 213,
    errors: [{ pointer: '/user', detail: 'The string is empty.' }],
  });
}

describe('refused requests', () => {
  it('are listed and counted, without any value that was sent', async () => {
    for (let i = 0; i < 5; i++) refuse(`r-${i}`);
    refuse('r-5', { code: 'json.malformed' });
    refuse('other', { workspaceId: 'elsewhere' });
    await kit.refused.write();
    const { items, counts } = await kit.get<Refused>('refused');
    expect(items.map(({ requestId }) => requestId)).toEqual(['r-5', 'r-4', 'r-3', 'r-2', 'r-1', 'r-0']);
    expect(items[1]).toMatchObject({
      keyId: 'key_abc',
      method: 'POST',
      path: '/api/v5/analytics/app/login',
      status: 422,
      code: 'event.invalid',
      bodyBytes: 213,
      errors: [{ pointer: '/user', detail: 'The string is empty.' }],
    });
    const path = '/api/v5/analytics/app/login';
    expect(counts).toEqual([
      { code: 'event.invalid', path, lastHour: 5, lastDay: 5, last7Days: 5 },
      { code: 'json.malformed', path, lastHour: 1, lastDay: 1, last7Days: 1 },
    ]);
  });

  it('are paged without repeating or missing one while others are refused', async () => {
    const found: string[] = [];
    for (let cursor: string | undefined = ''; cursor !== undefined;) {
      const page: Refused = await kit.get(`refused?limit=2${cursor}`);
      found.push(...page.items.map(({ requestId }) => requestId));
      cursor = page.next === undefined ? undefined : `&cursor=${page.next}`;
      refuse(`later-${found.length}`);
      await kit.refused.write();
    }
    expect(found).toEqual(['r-5', 'r-4', 'r-3', 'r-2', 'r-1', 'r-0']);
  });

  it('have a next page after the longest page, too', async () => {
    await kit.pool.query(
      `insert into refused_request (workspace_id, request_id, at, method, path, status, code, errors)
       select workspace_id, 'copy-' || n, at, method, path, status, code, errors
         from refused_request, generate_series(1, 200) n where request_id = 'r-0'`,
    );
    const first = await kit.get<Refused>('refused?limit=200');
    expect(first.items).toHaveLength(200);
    expect((await kit.get<Refused>(`refused?limit=200&cursor=${first.next}`)).items.at(-1)?.requestId).toBe('r-0');
  });

  it('are deleted after 7 days', async () => {
    kit.pass(7 * 24 * hourMs + minuteMs);
    await kit.refused.purge();
    expect(await kit.get<Refused>('refused')).toEqual({ items: [], counts: [] });
    kit.pass(-(7 * 24 * hourMs + minuteMs));
  });
});

describe('the webhook', () => {
  const connect = async (webhook: object | null): Promise<unknown> =>
    kit.at('PATCH', '', { body: { settings: { deliver: 'observe', webhook } } });

  it.each([
    ['{"code":1}', 'executed'],
    ['{"code":0,"message":"unknown client"}', 'notExecuted'],
    ['<html>', 'failed'],
  ])('that answers %s is tested: %s', async (answer, verdict) => {
    const receiver = await httpReceiver((_, response) => void response.end(answer));
    await connect({ url: receiver.url });
    const response = await kit.at('POST', 'webhook/test');
    expect(response.json()).toMatchObject({
      verdict,
      request: { method: 'POST', url: receiver.url, headers: { authorization: 'Bearer [the license key]' } },
      response: { status: 200, body: answer, truncated: false },
    });
    expect(receiver.received[0]!.headers['authorization']).toMatch(/^Bearer rf_live_/);
    expect(response.body).not.toContain('rf_live_');
  });

  it('that is unreachable is tested as well, with advice', async () => {
    await connect({ url: 'http://127.0.0.1:9/hook' });
    expect((await kit.at('POST', 'webhook/test')).json()).toMatchObject({
      verdict: 'failed',
      problem: { reason: 'refused', advice: expect.stringContaining('Nothing listens') },
    });
  });

  it('that is not configured cannot be tested', async () => {
    await connect(null);
    expect(problemOf(await kit.at('POST', 'webhook/test'))).toMatchObject({ code: 'state.conflict', status: 409 });
  });

  it('that was disabled is shown, and can be enabled again', async () => {
    const { id } = kit.workspace;
    await kit.pool.query(
      `insert into endpoint (workspace_id, state, failing_since, failures) values ($1, 'disabled', now(), 12)
       on conflict (workspace_id) do update set state = 'disabled', failing_since = now(), failures = 12`,
      [id],
    );
    expect(await kit.get('integration')).toMatchObject({
      endpoint: { state: 'disabled', failures: 12, failingSince: expect.any(String) },
    });
    expect((await kit.at('POST', 'webhook/enable')).json()).toEqual({ state: 'closed', failures: 0 });
    expect(await kit.get('integration')).toMatchObject({ endpoint: { state: 'closed' } });
  });
});

describe('the status', () => {
  it('shows the decision progress of every workspace', async () => {
    await kit.send('login', login('ana'));
    await kit.send('operation', payment('ana'));
    const behind = (await kit.call('GET', '/status')).json();
    expect(behind).toMatchObject({ workspaces: [{ name: 'bank', behind: expect.any(Number), quarantined: 0 }] });
    expect(behind.workspaces[0].behind).toBeGreaterThanOrEqual(2);
    kit.startHost();
    await kit.settled();
    expect((await kit.call('GET', '/status')).json()).toMatchObject({ workspaces: [{ behind: 0, lagMs: 0 }] });
  });
});

describe('a pause', () => {
  it('appears in the workspace that it affects, and in no other', async () => {
    const other = await kit.addWorkspace();
    await kit.deps.registry.refresh();
    const pauses = async (id: string): Promise<unknown> =>
      (await kit.call('GET', `/workspaces/${id}/integration`)).json().pauses;
    const own = { scope: 'workspace', workspace: kit.workspace.id, since: expect.any(String) };
    await kit.at('POST', 'deliveries/pause');
    expect(await pauses(kit.workspace.id)).toEqual([own]);
    expect(await pauses(other.id)).toEqual([]);
    await kit.call('POST', '/deliveries/pause');
    expect(await pauses(kit.workspace.id)).toHaveLength(2);
    expect(await pauses(other.id)).toEqual([{ scope: 'all', since: expect.any(String) }]);
    await kit.call('POST', '/deliveries/resume');
    await kit.at('POST', 'deliveries/resume');
    expect(await pauses(kit.workspace.id)).toEqual([]);
  });
});
