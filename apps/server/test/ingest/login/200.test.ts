import { describe, expect, it } from 'vitest';
import { doorKit, login, opened, records } from '../support/door-kit.ts';

const documentation = {
  'ip.valid': true,
  'ip.version': 4,
  'ip.address': '203.0.113.7',
  'ip.network': '203.0.113.0/24',
  'ip.kind': 'documentation',
};

describe('a login is accepted', () => {
  it('with its id, once it is in the log, encrypted under the key of its client', async () => {
    const kit = await doorKit();
    const response = await kit.post('login', login);
    expect(response.statusCode).toBe(200);
    expect(response.headers['content-type']).toBe('application/json; charset=utf-8');
    const { epoch } = await kit.log.head(kit.workspace.id);
    expect(response.json()).toEqual({ id: `evt_${epoch}_0`, status: 'accepted' });
    const [record] = await records(kit);
    expect(record).toMatchObject({ kind: 'login', subject: kit.subjects.keys.get('client-1')!.subject });
    expect(opened(kit, record!)).toEqual({
      event: { kind: 'login', ...login },
      enrichment: { facts: { ...documentation, 'device.state': 'undecodable' } },
      bodyText: JSON.stringify(login),
    });
  });

  it('and nothing of it is readable in the log', async () => {
    const kit = await doorKit();
    await kit.post('login', login);
    const [record] = await records(kit);
    const bytes = `${record!.subject} ${Buffer.from(record!.payload).toString('latin1')}`;
    for (const secret of ['client-1', '"s-1"', '203.0.113.7', 'device', 'channelId'])
      expect(bytes).not.toContain(secret);
  });

  it.each([
    ['203.0.113.7', documentation],
    ['2001:db8::1', { ...documentation, 'ip.version': 6, 'ip.address': '2001:db8::1', 'ip.network': '2001:db8::/48' }],
    ['::ffff:203.0.113.7', documentation],
    ['203.0.113.7:443', documentation],
    ['203.0.113.7, 10.0.0.1', { 'ip.valid': false }],
    ['203.0.113.07', { 'ip.valid': false }],
    [
      '[2001:DB8:0::1]',
      { ...documentation, 'ip.version': 6, 'ip.address': '2001:db8::1', 'ip.network': '2001:db8::/48' },
    ],
    ['unknown', { 'ip.valid': false }],
    ['', { 'ip.valid': false }],
  ])('with any IP address: %j', async (publicIp, facts) => {
    const kit = await doorKit();
    expect((await kit.post('login', { ...login, publicIp })).statusCode).toBe(200);
    const [record] = await records(kit);
    expect(opened(kit, record!).enrichment).toEqual({ facts: { ...facts, 'device.state': 'undecodable' } });
  });

  it('without device data, without a session, and with unknown members', async () => {
    const kit = await doorKit();
    const body =
      '{ "channelId": 1, "user": "ü", "session": "", "publicIp": "x", "data": "", "appVersion": {"major": 7.10} }';
    expect((await kit.post('login', body)).statusCode).toBe(200);
    const [record] = await records(kit);
    expect(opened(kit, record!)).toMatchObject({ bodyText: body, event: { user: 'ü', data: '' } });
    expect(opened(kit, record!).event).not.toHaveProperty('session');
  });

  it.each([
    ['2026-11-21T09:30:00-06:00', Date.UTC(2026, 10, 21, 15, 30), undefined],
    ['2026-11-21T09:30:00', Date.UTC(2026, 10, 21, 15, 30), undefined],
    ['2026-11-21T16:04:00Z', Date.UTC(2026, 10, 21, 16, 4), undefined],
    ['2026-11-21T16:06:00Z', Date.UTC(2026, 10, 21, 16, 6), 'the time of arrival was used'],
    ['2026-11-20T15:00:00Z', Date.UTC(2026, 10, 20, 15), 'the time of arrival was used'],
    ['2026-11-21', undefined, 'the date has no time'],
  ])('with its own time, and a warning unless it is plausible: %s', async (timestamp, statedAtMs, warning) => {
    const kit = await doorKit();
    const response = await kit.post('login', { ...login, timestamp });
    expect(response.statusCode).toBe(200);
    const [record] = await records(kit);
    expect(opened(kit, record!)).toMatchObject({ event: { timestamp } });
    expect(opened(kit, record!).enrichment.statedAtMs).toBe(statedAtMs);
    expect(String(response.headers['warning'])).toContain(String(warning));
  });

  it.each([
    '/api/v5/analytics/web/login',
    '/api/v5/analytics/app/login/',
    '//api/v5/analytics/app/login',
    '/api/v5/analytics/app/login?x=1',
  ])('at %s', async (path) => {
    const kit = await doorKit();
    expect((await kit.post('login', login, { path })).statusCode).toBe(200);
    expect(kit.answers).toEqual([{ route: 'login', status: 200 }]);
  });

  it('and every client has its own key', async () => {
    const kit = await doorKit();
    for (const user of ['a', 'b', 'a']) await kit.post('login', { ...login, user });
    const subjects = (await records(kit)).map((record) => record.subject);
    expect(subjects[0]).toBe(subjects[2]);
    expect(new Set(subjects).size).toBe(2);
  });
});
