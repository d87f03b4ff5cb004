/** Goal: whatever fails, each thing is told, a repeat has the id of the first, and nothing personal leaves by default. */
import { randomBytes } from 'node:crypto';
import { hourMs, minuteMs, secondMs } from '@ringfence/contract';
import { verify } from '@ringfence/delivery';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { DestinationSettings } from '../../src/notifications/notification-settings.ts';
import { tidyNotifications } from '../../src/notifications/notification-outbox.ts';
import { applyPolicy } from '../../src/policies/policy-store.ts';
import { eraseClient } from '../../src/tenancy/subjects/erase-client.ts';
import { type Browser, loggedIn } from '../access/accounts/support/browser.ts';
import { login, payment } from '../api/support/management-kit.ts';
import { consoleKit, type ConsoleKit } from '../console/support/console-kit.ts';
import { httpReceiver, type Answer, type Receiver } from '../deliver/support/receivers.ts';
import { handClock, mailOf, notifyKit, type NotifyKit } from './support/notify-kit.ts';
import { joined, smtpServer } from './support/smtp-server.ts';

const policy = `rules:
  - { reason: 900, name: large, when: order.amount > 100, score: 70, then: { action: 3, message: large } }
`;

let kit: ConsoleKit;
let mara: Browser;
let luis: Browser;
let told: NotifyKit;

beforeAll(async () => {
  kit = await consoleKit();
  const files = [{ path: 'rules.yaml', text: policy }];
  await applyPolicy(kit.deps, kit.workspace.id, { files, author: 'test', comment: '', actor: 'api' });
  await kit.deps.registry.refresh();
  mara = await loggedIn(kit, { email: 'mara@bank.example', roles: ['analyst'] });
  luis = await loggedIn(kit, { email: 'luis@bank.example', roles: ['analyst', 'approver'] });
});
afterAll(() => kit.close());
beforeEach(() => {
  told = notifyKit(kit, handClock(Date.now()));
});
afterEach(async () => {
  for (const table of ['notification', 'notification_destination', 'notification_condition', 'notification_choice']) {
    await kit.pool.query(`delete from ${table}`);
  }
  await kit.pool.query(`delete from notification_endpoint`);
});

interface Body {
  readonly id: string;
  readonly notifications: readonly {
    readonly event: string;
    readonly state: string;
    readonly text: string;
    readonly link: string;
    readonly facts: Readonly<Record<string, unknown>>;
  }[];
}

const answering =
  (status: () => number): Answer =>
  (_, response) => {
    response.statusCode = status();
    response.end('ok');
  };
const taken = answering(() => 200);
const bodies = ({ received }: Receiver): readonly Body[] => received.map(({ body }) => JSON.parse(body) as Body);
const everyAlert: DestinationSettings['events'] = { alert: {} };

/** An alert about a client with a name and numbers that occur nowhere else. */
async function alertOf(client: string, amount = 150): Promise<string> {
  await kit.send('login', login(client));
  const account = { ...(payment(client) as { account: object }).account, accountNumber: `from-${client}` };
  await kit.send('operation', {
    ...payment(client),
    account,
    accountTo: { bank: 'B1', accountNumber: `payee-${client}` },
    order: { amount, currency: 'MXN' },
  });
  await kit.fed();
  const { rows } = await kit.pool.query<{ id: string }>(`select id from alert order by seq desc limit 1`);
  return rows[0]!.id;
}

const newClient = (): string => `client-${randomBytes(6).toString('hex')}`;

describe('an alert', () => {
  it('is told once to every kind of destination, signed, with a link, and without anything personal', async () => {
    const client = newClient();
    const [http, slack, teams] = [await httpReceiver(taken), await httpReceiver(taken), await httpReceiver(taken)];
    const mail = await smtpServer();
    const made = await told.add({ kind: 'http', url: http.url }, { events: everyAlert });
    await told.add({ kind: 'slack', url: slack.url }, { events: everyAlert, language: 'es' });
    await told.add({ kind: 'teams', url: teams.url }, { events: everyAlert });
    await told.add({ kind: 'email', to: ['desk@bank.example', 'night@bank.example'] }, { events: everyAlert });
    const notifier = told.start(mailOf(mail.port));
    const alert = await alertOf(client);
    await told.round(notifier);
    await told.round(notifier);

    const [body] = bodies(http);
    expect(bodies(http)).toHaveLength(1);
    expect(body!.notifications[0]).toMatchObject({
      event: 'alert',
      state: 'began',
      text: `Alert of risk 70, 150 MXN, client cl•••${client.slice(-2)}, rules 900`,
      facts: { alert, risk: 70, rules: [900], amount: '150', currency: 'MXN' },
    });
    const name = `${kit.workspace.name}:production`;
    expect(body!.notifications[0]!.link).toBe(
      `https://fraud.bank.example/console/w/${encodeURIComponent(name)}/alerts?alert=${alert}`,
    );
    const secret = made.address?.kind === 'http' ? Buffer.from(made.address.secret, 'base64') : Buffer.alloc(0);
    const { headers, body: sent } = http.received[0]!;
    const signed = {
      id: String(headers['webhook-id']),
      timestamp: String(headers['webhook-timestamp']),
      signature: String(headers['webhook-signature']),
      body: sent,
    };
    expect(signed.id).toBe(body!.id);
    expect(verify(signed, [secret], told.clock.machineMs())).toBe('valid');

    expect(slack.received).toHaveLength(1);
    const inSlack = JSON.parse(slack.received[0]!.body) as { text: string; blocks: { type: string }[] };
    expect(inSlack.text).toContain('Alerta de riesgo 70, 150 MXN');
    expect(inSlack.blocks.map(({ type }) => type)).toEqual(['section', 'context']);
    expect(slack.received[0]!.headers['webhook-signature']).toBeUndefined();
    const card = JSON.parse(teams.received[0]!.body) as {
      attachments: { contentType: string; content: { type: string } }[];
    };
    expect(card.attachments[0]).toMatchObject({
      contentType: 'application/vnd.microsoft.card.adaptive',
      content: { type: 'AdaptiveCard' },
    });
    expect(mail.mails).toHaveLength(1);
    expect(mail.mails[0]).toMatchObject({
      from: 'ringfence@bank.example',
      to: ['desk@bank.example', 'night@bank.example'],
    });
    expect(mail.mails[0]!.data).toMatch(/^Message-ID: <ntf_[a-z2-7]{20}@bank\.example>\r$/m);

    const everything = [http, slack, teams].flatMap(({ received }) => received.map((one) => JSON.stringify(one)));
    for (const bytes of [...everything, joined(mail.said())]) {
      for (const personal of [client, `from-${client}`, `payee-${client}`, '203.0.113.7', `s-${client}`]) {
        expect(bytes).not.toContain(personal);
      }
    }
    expect(told.attempts.toSorted()).toEqual(['email sent', 'http sent', 'slack sent', 'teams sent']);
  });

  it('is told above its threshold alone, and by the sum in its currency', async () => {
    const [risky, rich] = [await httpReceiver(taken), await httpReceiver(taken)];
    await told.add({ kind: 'http', url: risky.url }, { events: { alert: { risk: 90 } } });
    await told.add(
      { kind: 'http', url: rich.url },
      { events: { alert: { risk: 90, amount: 1_000, currency: 'MXN' } } },
    );
    const notifier = told.start();
    await alertOf(newClient(), 999);
    const alert = await alertOf(newClient(), 1_000);
    await told.round(notifier);
    expect(risky.received).toHaveLength(0);
    expect(bodies(rich).map(({ notifications }) => notifications.map(({ facts }) => facts['alert']))).toEqual([
      [alert],
    ]);
  });

  it('names the client where personal values are switched on', async () => {
    const client = newClient();
    const receiver = await httpReceiver(taken);
    await told.add({ kind: 'http', url: receiver.url }, { events: everyAlert, showPersonal: true });
    const notifier = told.start();
    await alertOf(client);
    await told.round(notifier);
    expect(bodies(receiver)[0]!.notifications[0]!.facts['client']).toBe(client);
  });

  it('is not told of a client that was erased meanwhile, and nothing is kept of it', async () => {
    const [erased, other] = [newClient(), newClient()];
    const receiver = await httpReceiver(taken);
    const settings = { events: everyAlert, showPersonal: true, digestMinutes: 10 };
    await told.add({ kind: 'http', url: receiver.url }, settings);
    const notifier = told.start();
    await alertOf(erased);
    const alert = await alertOf(other);
    await told.round(notifier);
    const subject = await eraseClient(kit.deps, kit.workspace, erased);
    const kept = await kit.pool.query(`select 1 from notification_item where subject = $1`, [subject]);
    expect(kept.rowCount).toBe(0);
    told.clock.pass(10 * minuteMs);
    await told.round(notifier);
    expect(bodies(receiver).map(({ notifications }) => notifications.map(({ facts }) => facts['alert']))).toEqual([
      [alert],
    ]);
  });

  it('is dropped, and not sent empty, when its only client was erased', async () => {
    const client = newClient();
    const receiver = await httpReceiver(taken);
    await told.add({ kind: 'http', url: receiver.url }, { events: everyAlert, digestMinutes: 1 });
    const notifier = told.start();
    await alertOf(client);
    await told.round(notifier);
    await eraseClient(kit.deps, kit.workspace, client);
    told.clock.pass(minuteMs);
    await told.round(notifier);
    expect(receiver.received).toHaveLength(0);
    const { rows } = await kit.pool.query<{ state: string }>(`select state from notification`);
    expect(rows).toEqual([{ state: 'dropped' }]);
  });
});

describe('a receiver', () => {
  it('that was down gets everything, in order, when it is back', async () => {
    let isUp = false;
    const receiver = await httpReceiver(answering(() => (isUp ? 200 : 503)));
    await told.add({ kind: 'http', url: receiver.url }, { events: everyAlert });
    const notifier = told.start();
    const alerts: string[] = [];
    for (let i = 0; i < 3; i++) {
      alerts.push(await alertOf(newClient()));
      await told.round(notifier);
    }
    isUp = true;
    for (let i = 0; i < 5; i++) {
      told.clock.pass(hourMs);
      await told.round(notifier);
    }
    const all = bodies(receiver);
    expect(new Set(all.flatMap(({ notifications }) => notifications.map(({ facts }) => facts['alert'])))).toEqual(
      new Set(alerts),
    );
    // A repeat says the same under the same id.
    const byId = Map.groupBy(all, ({ id }) => id);
    for (const same of byId.values()) expect(new Set(same.map((one) => JSON.stringify(one))).size).toBe(1);
    const { rows } = await kit.pool.query<{ state: string }>(`select state from notification`);
    expect(rows.map(({ state }) => state)).toEqual(['sent', 'sent', 'sent']);
  });

  it('that is cut after it took a message gets it again under the same id', async () => {
    let count = 0;
    const receiver = await httpReceiver((_, response, message) => {
      count += 1;
      if (count === 1) message.socket.destroy();
      else response.end();
    });
    await told.add({ kind: 'http', url: receiver.url }, { events: everyAlert });
    const notifier = told.start();
    await alertOf(newClient());
    await told.round(notifier);
    told.clock.pass(10 * secondMs);
    await told.round(notifier);
    const ids = bodies(receiver).map(({ id }) => id);
    expect(ids).toHaveLength(2);
    expect(new Set(ids).size).toBe(1);
    expect(told.attempts).toEqual(['http reset', 'http sent']);
  });

  it('that does not answer delays no other one', async () => {
    const { promise: hung, resolve: release } = Promise.withResolvers<void>();
    const slow = await httpReceiver((_, response) => void hung.then(() => response.end()));
    const fast = await httpReceiver(taken);
    await told.add({ kind: 'http', url: slow.url }, { events: everyAlert });
    await told.add({ kind: 'http', url: fast.url }, { events: everyAlert });
    const notifier = told.start();
    for (let i = 0; i < 2; i++) {
      await alertOf(newClient());
      await notifier.look();
      await notifier.send();
      await expect.poll(() => fast.received.length, { timeout: 30_000 }).toBe(i + 1);
      await expect.poll(async () => (await stateCounts()).get('sent'), { timeout: 30_000 }).toBe(i + 1);
    }
    expect(slow.received).toHaveLength(1); // the second waits its turn
    release();
    await notifier.idle();
    await told.round(notifier);
    expect(slow.received).toHaveLength(2);
  });

  it('that took a message in a process that was killed gets it again from another, under the same id', async () => {
    const receiver = await httpReceiver(taken);
    await told.add({ kind: 'http', url: receiver.url }, { events: everyAlert });
    const [first, second] = [told.start(), told.start()];
    await alertOf(newClient());
    await told.round(first);
    // As if the process had ended between the answer and its record.
    await kit.pool.query(`update notification set state = 'leased', attempts = 0, finished_at = null, due_at = $1`, [
      new Date(told.clock.nowMs() + 30 * secondMs),
    ]);
    await told.round(second);
    expect(receiver.received).toHaveLength(1);
    told.clock.pass(31 * secondMs);
    await told.round(second);
    await told.round(first);
    const ids = bodies(receiver).map(({ id }) => id);
    expect([ids.length, new Set(ids).size]).toEqual([2, 1]);
  });

  it('is left alone by its breaker, and gets what waits when a probe is answered', async () => {
    let isUp = false;
    const receiver = await httpReceiver(answering(() => (isUp ? 204 : 500)));
    const { id } = await told.add({ kind: 'http', url: receiver.url }, { events: everyAlert });
    const notifier = told.start();
    for (let i = 0; i < 12; i++) {
      await alertOf(newClient());
      await told.round(notifier);
      told.clock.pass(secondMs);
    }
    const { rows } = await kit.pool.query<{ state: string }>(
      `select state from notification_endpoint where destination = $1`,
      [id],
    );
    expect(rows).toEqual([{ state: 'open' }]);
    expect(told.warned).toContain('a destination of notifications fails: its messages wait');
    const before = receiver.received.length;
    await told.round(notifier);
    expect(receiver.received).toHaveLength(before);
    isUp = true;
    for (let i = 0; i < 30 && (await stateCounts()).get('sent') !== 12; i++) {
      told.clock.pass(30 * secondMs);
      await told.round(notifier);
    }
    expect(await stateCounts()).toEqual(new Map([['sent', 12]]));
    expect(
      new Set(bodies(receiver).flatMap(({ notifications }) => notifications.map(({ facts }) => facts['alert']))).size,
    ).toBe(12);
  });

  it('that stays down for a day costs its messages, which are counted as dead', async () => {
    const receiver = await httpReceiver(answering(() => 500));
    await told.add({ kind: 'http', url: receiver.url }, { events: everyAlert });
    const notifier = told.start();
    await alertOf(newClient());
    await told.round(notifier);
    for (let i = 0; i < 26; i++) {
      told.clock.pass(hourMs);
      await told.round(notifier);
      await tidyNotifications(kit.pool, told.clock.nowMs());
    }
    expect(await stateCounts()).toEqual(new Map([['dead', 1]]));
    expect(receiver.received.length).toBeGreaterThan(4);
  });

  async function stateCounts(): Promise<ReadonlyMap<string, number>> {
    const { rows } = await kit.pool.query<{ state: string; count: number }>(
      `select state, count(*)::integer as count from notification group by state`,
    );
    return new Map(rows.map(({ state, count }) => [state, count]));
  }
});

describe('a mail server', () => {
  it('that is cut after it stored a message gets it again with the same Message-ID', async () => {
    const mail = await smtpServer({ onData: (_, count) => (count === 1 ? 'cut' : '250 taken') });
    await told.add({ kind: 'email', to: ['desk@bank.example'] }, { events: everyAlert });
    const notifier = told.start(mailOf(mail.port));
    await alertOf(newClient());
    await told.round(notifier);
    told.clock.pass(10 * secondMs);
    await told.round(notifier);
    const ids = mail.mails.map(({ data }) => /^Message-ID: (.*)\r$/m.exec(data)?.[1]);
    expect([ids.length, new Set(ids).size]).toEqual([2, 1]);
  });

  it('that is down, full or refuses gets everything later', async () => {
    let count = 0;
    const mail = await smtpServer({
      onData: () => (++count === 1 ? '452 full' : '250 taken'),
      onRecipient: () => (count === 0 && told.attempts.length === 1 ? '450 not now' : '250 ok'),
    });
    await mail.close();
    await told.add({ kind: 'email', to: ['desk@bank.example'] }, { events: everyAlert });
    const notifier = told.start(mailOf(mail.port));
    await alertOf(newClient());
    await told.round(notifier);
    await mail.reopen();
    for (let i = 0; i < 4; i++) {
      told.clock.pass(hourMs);
      await told.round(notifier);
    }
    expect(told.attempts).toEqual(['email refused', 'email recipient', 'email status', 'email sent']);
    expect(mail.mails).toHaveLength(1);
  });
});

describe('a digest', () => {
  it('collects for its minutes into one message, and quiet hours until they end', async () => {
    const [digest, quiet] = [await httpReceiver(taken), await httpReceiver(taken)];
    const startMs = Date.parse('2026-11-21T23:30:00Z');
    told = notifyKit(kit, handClock(startMs));
    const quietHours = { from: '22:00', to: '06:00', timezone: 'UTC' };
    await told.add({ kind: 'http', url: digest.url }, { events: everyAlert, digestMinutes: 15 });
    await told.add({ kind: 'http', url: quiet.url }, { events: everyAlert, quietHours });
    const notifier = told.start();
    for (let i = 0; i < 3; i++) {
      await alertOf(newClient());
      await told.round(notifier);
      told.clock.pass(4 * minuteMs);
    }
    expect([digest.received.length, quiet.received.length]).toEqual([0, 0]);
    told.clock.pass(3 * minuteMs);
    await told.round(notifier);
    expect(bodies(digest).map(({ notifications }) => notifications.length)).toEqual([3]);
    expect(quiet.received).toHaveLength(0);
    told.clock.pass(6 * hourMs + 15 * minuteMs);
    await told.round(notifier);
    expect(bodies(quiet).map(({ notifications }) => notifications.length)).toEqual([3]);
  });
});

describe('a condition', () => {
  it('is told when it begins and when it is over, and not in between, by a new process either', async () => {
    const receiver = await httpReceiver(taken);
    await told.add({ kind: 'http', url: receiver.url }, { events: { webhook: { notExecutedPercent: 50 } } });
    const workspaceId = kit.workspace.id;
    const setState = (state: string) =>
      kit.pool.query(
        `insert into endpoint (workspace_id, state) values ($1, $2)
         on conflict (workspace_id) do update set state = excluded.state`,
        [workspaceId, state],
      );
    const states = (): readonly string[] =>
      bodies(receiver).flatMap(({ notifications }) => notifications.map(({ event, state }) => `${event} ${state}`));
    await told.round(told.start());
    expect(states()).toEqual([]);
    await setState('open');
    for (let i = 0; i < 3; i++) await told.round(told.start());
    expect(states()).toEqual(['webhook began']);
    await setState('closed');
    for (let i = 0; i < 2; i++) await told.round(told.start());
    expect(states()).toEqual(['webhook began', 'webhook over']);
  });

  it('is found for the queue, holds, undelivered ends and policies that wait', async () => {
    const receiver = await httpReceiver(taken);
    const events = { queueAge: { minutes: 60 }, hold: { minutes: 10 }, resolution: { minutes: 5 }, approval: {} };
    await alertOf(newClient());
    const { id: workspaceId } = kit.workspace;
    const nowMs = Date.now();
    told = notifyKit(kit, handClock(nowMs));
    await told.add({ kind: 'http', url: receiver.url }, { events });
    const notifier = told.start();
    await told.round(notifier);
    expect(receiver.received).toHaveLength(0);
    const { rows } = await kit.pool.query<{ subject: string }>(`select id as subject from subject limit 1`);
    await kit.pool.query(
      `insert into hold (workspace_id, id, epoch, "offset", reason, position, subject, channel_id, amount, currency,
                         otherwise, opened_at, due_at)
       values ($1, 'hold-1', 1, 1, 900, 0, $2, 1, 250, 'MXN', 'release', $3, $4)`,
      [workspaceId, rows[0]!.subject, new Date(nowMs), new Date(nowMs + 70 * minuteMs)],
    );
    await kit.pool.query(
      `insert into policy_request (workspace_id, id, version, comment, asked_by, asked_at)
       values ($1, 'req_abcdefghijkl', 1, 'x', 'eva@bank.example', $2)`,
      [workspaceId, new Date(nowMs)],
    );
    told.clock.pass(61 * minuteMs);
    await told.round(notifier);
    await told.round(notifier);
    const found = bodies(receiver).flatMap(({ notifications }) => notifications.map(({ event }) => event));
    expect(found.toSorted()).toEqual(['approval', 'hold', 'queueAge']);
    // One person activates what was requested, which has a notification of its own.
    await kit.pool.query(
      `update policy_request set state = 'emergency', emergency_by = 'eva@bank.example', emergency_at = $1,
                                 expires_at = '2027-01-01T12:00:00Z', version_before = 1`,
      [new Date(nowMs)],
    );
    await told.round(notifier);
    await told.round(notifier);
    expect(JSON.stringify(bodies(receiver).at(-1))).toContain(
      'eva@bank.example activated version 1 of the policy in an emergency; it ends at 2027-01-01T12:00:00.000Z',
    );
    await kit.pool.query(`delete from hold`);
    await kit.pool.query(`delete from policy_request`);
  });

  it('of a rule is silent in a steady week, and tells a planted spike within a minute', async () => {
    const { id: workspaceId } = kit.workspace;
    const startMs = Date.parse('2027-02-08T00:00:00Z');
    const receiver = await httpReceiver(taken);
    told = notifyKit(kit, handClock(startMs));
    await told.add(
      { kind: 'http', url: receiver.url },
      { events: { ruleSpike: { window: '5m', factor: 3, minimum: 10 } } },
    );
    // A rule that fires 120 times an hour by day and 12 times by night, every minute alike.
    await kit.pool.query(
      `insert into console_count (workspace_id, span, at, name, key, count)
       select $1, 3600, at, 'rule', '900', case when extract(hour from at at time zone 'UTC') between 8 and 21 then 120 else 12 end
         from generate_series($2::timestamptz - interval '8 days', $2::timestamptz + interval '1 day', interval '1 hour') as at
       on conflict do nothing`,
      [workspaceId, new Date(startMs)],
    );
    const minute = (at: number, count: number) =>
      kit.pool.query(
        `insert into console_count as c (workspace_id, span, at, name, key, count) values ($1, 60, $2, 'rule', '900', $3)
         on conflict (workspace_id, span, at, name, key) do update set count = c.count + excluded.count`,
        [workspaceId, new Date(at), count],
      );
    const notifier = told.start();
    for (let at = 0; at < 24 * 60; at++) {
      const hour = Math.floor(at / 60);
      const count = hour >= 8 && hour <= 21 ? 2 : Number(at % 5 === 0);
      await minute(startMs + at * minuteMs, count);
      if (at % 3 === 0) await notifier.look();
      told.clock.pass(minuteMs);
    }
    await told.round(notifier);
    expect(receiver.received).toHaveLength(0);

    const atMs = told.clock.nowMs();
    await minute(atMs, 25);
    told.clock.pass(59 * secondMs);
    await told.round(notifier);
    expect(bodies(receiver)[0]?.notifications[0]).toMatchObject({
      event: 'ruleSpike',
      facts: { rule: 900, minutes: 5 },
    });
    for (let at = 0; at < 6; at++) {
      told.clock.pass(minuteMs);
      await told.round(notifier);
    }
    expect(bodies(receiver).map(({ notifications }) => notifications.map(({ state }) => state))).toEqual([
      ['began'],
      ['over'],
    ]);
    await kit.pool.query(`delete from console_count where at > $1`, [new Date(startMs - 9 * 24 * hourMs)]);
  });
});

describe('a person', () => {
  it('who asks for it hears of mentions, assignments and policies to approve, and others of nothing', async () => {
    const mail = await smtpServer();
    const account = async (email: string): Promise<string> =>
      (await kit.pool.query<{ id: string }>(`select id from account where email = $1`, [email])).rows[0]!.id;
    await kit.pool.query(`insert into notification_choice (account_id, settings) values ($1, $2)`, [
      await account('luis@bank.example'),
      { mention: true, assignment: true, approval: true, digestMinutes: 0 },
    ]);
    const client = newClient();
    const alert = await alertOf(client);
    const at = (rest: string): string => `/workspaces/${kit.workspace.id}/alerts/${alert}/${rest}`;
    const notifier = told.start(mailOf(mail.port));
    await told.round(notifier);
    const text = `@luis @mara ${client} says it was not her`;
    expect((await mara.call('POST', at('comments'), { body: { text } })).statusCode).toBe(204);
    expect((await mara.call('POST', at('hand-over'), { body: { to: 'luis@bank.example' } })).statusCode).toBe(200);
    expect((await luis.call('POST', at('hand-over'), { body: { to: 'mara@bank.example' } })).statusCode).toBe(200);
    await kit.pool.query(
      `insert into policy_request (workspace_id, id, version, comment, asked_by, asked_at)
       values ($1, 'req_abcdefghijkl', 1, 'x', 'mara@bank.example', now())`,
      [kit.workspace.id],
    );
    await told.round(notifier);
    await told.round(notifier);
    expect(mail.mails.map(({ to }) => to)).toEqual([['luis@bank.example']]);
    const data = joined(mail.mails[0]!.data);
    expect(data).toContain('mara@bank.example named you or a colleague in a comment');
    expect(data).toContain('mara@bank.example assigned an alert of risk 70');
    expect(data).toContain('waits for approval, requested by');
    expect(data).not.toContain(client);
    await kit.pool.query(`delete from policy_request`);
  });
});
