import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { verify } from '@ringfence/delivery';
import { type Browser, loggedIn } from '../access/accounts/support/browser.ts';
import { httpReceiver } from '../deliver/support/receivers.ts';
import { managementKit, type ManagementKit, problemOf } from './support/management-kit.ts';

let kit: ManagementKit;
let admin: Browser;
let analyst: Browser;
beforeAll(async () => {
  kit = await managementKit();
  admin = await loggedIn(kit, { email: 'ada@bank.example', roles: ['administrator'] });
  analyst = await loggedIn(kit, { email: 'mara@bank.example', roles: ['analyst'] });
});
afterAll(() => kit.close());

interface Listed {
  readonly items: readonly Readonly<Record<string, unknown>>[];
  readonly mail: boolean;
}

const at = (rest = ''): string => `/workspaces/${kit.workspace.id}/notifications${rest}`;

describe('a destination', () => {
  it('is made, listed, changed, paused and removed, and its address is in no answer, log or audit entry', async () => {
    const url = 'http://127.0.0.1:9/services/T0/B0/very-secret-part?token=very-secret-part';
    const body = { name: 'Desk', kind: 'slack', url, settings: { events: { alert: { risk: 80 }, queueAge: {} } } };
    const made = await admin.call('POST', at(), { body });
    expect(made.statusCode).toBe(201);
    expect(made.json()).toMatchObject({
      kind: 'slack',
      address: 'http://127.0.0.1:9/…',
      paused: false,
      settings: {
        events: { alert: { risk: 80 }, queueAge: {} },
        digestMinutes: 0,
        recovery: true,
        showPersonal: false,
        language: 'en',
      },
    });
    const { id } = made.json<{ id: string }>();
    const paused = await admin.call('PATCH', at(`/${id}`), { body: { paused: true, name: 'Night' } });
    expect(paused.json()).toMatchObject({ paused: true, name: 'Night', address: 'http://127.0.0.1:9/…' });
    const test = await admin.call('POST', at(`/${id}/test`));
    expect(test.json()).toMatchObject({ verdict: 'failed', problem: { reason: 'refused' } });
    const list = await admin.call('GET', at());
    expect(list.json<Listed>().items.map((one) => one['id'])).toEqual([id]);
    expect((await admin.call('DELETE', at(`/${id}`))).statusCode).toBe(204);
    expect((await admin.call('GET', at())).json<Listed>()).toEqual({ items: [], mail: false });

    const { rows: audited } = await kit.pool.query(`select * from audit_entry`);
    const { rows: stored } = await kit.pool.query(`select address from notification_destination`);
    const shown = [made, paused, test, list].map(({ body: text }) => text);
    for (const text of [...shown, JSON.stringify(audited), JSON.stringify(kit.said), JSON.stringify(stored)]) {
      expect(text).not.toContain('very-secret-part');
    }
    expect(JSON.stringify(audited)).toContain('changeNotificationDestination');
  });

  it('of kind http shows its secret once, and signs its test with it', async () => {
    const receiver = await httpReceiver((_, response) => void response.end('thanks'));
    const body = { name: 'Own', kind: 'http', url: receiver.url, settings: { events: {} } };
    const made = (await admin.call('POST', at(), { body })).json<{ id: string; signingSecret: string }>();
    expect(made.signingSecret).toMatch(/^whsec_/);
    const listed = await admin.call('GET', at());
    expect(listed.body).not.toContain(made.signingSecret);
    const test = await admin.call('POST', at(`/${made.id}/test`));
    expect(test.json()).toMatchObject({ verdict: 'sent', response: { status: 200, body: 'thanks' } });
    const { headers, body: sent } = receiver.received[0]!;
    const secret = Buffer.from(made.signingSecret.slice('whsec_'.length), 'base64');
    const [webhookId, timestamp, signature] = ['id', 'timestamp', 'signature'].map((name) =>
      String(headers[`webhook-${name}`]),
    );
    expect(verify({ id: webhookId, timestamp, signature, body: sent }, [secret], kit.deps.now())).toBe('valid');
    await admin.call('DELETE', at(`/${made.id}`));
  });

  it.each([
    [{ kind: 'slack', url: 'http://10.0.0.1/x' }, 422, /private address/],
    [{ kind: 'teams', url: 'ftp://bank.example' }, 422, /neither https nor http/],
    [{ kind: 'http' }, 422, /needs a `url`/],
    [{ kind: 'email', to: ['desk@bank.example'] }, 409, /no mail server/],
    [{ kind: 'email', to: ['desk@bank.example\r\nBcc: x@y.z'] }, 422, /invalid|mail address|1 member/i],
    [{ kind: 'http', url: 'https://bank.example', settings: { events: { alert: { currency: 'peso' } } } }, 422, /./],
  ])('is refused: %j', async (wanted, status, detail) => {
    const body = { name: 'Desk', settings: { events: {} }, ...wanted };
    const response = await admin.call('POST', at(), { body });
    expect([response.statusCode, problemOf(response).detail]).toEqual([status, expect.stringMatching(detail)]);
  });

  it('is for administrators', async () => {
    expect((await analyst.call('GET', at())).statusCode).toBe(403);
  });
});

describe('the choice of a person', () => {
  it('is off at first, and cannot be switched on without a mail server', async () => {
    const off = { mention: false, assignment: false, approval: false, digestMinutes: 0, mail: false };
    expect((await analyst.call('GET', '/session/notifications')).json()).toEqual(off);
    const refused = await analyst.call('PUT', '/session/notifications', { body: { mention: true } });
    expect(refused.statusCode).toBe(409);
    const quietHours = { from: '22:00', to: '07:00', timezone: 'America/Mexico_City' };
    const kept = await analyst.call('PUT', '/session/notifications', { body: { quietHours } });
    expect(kept.json()).toEqual({ ...off, quietHours });
    expect((await analyst.call('GET', '/session/notifications')).json()).toEqual({ ...off, quietHours });
  });
});
