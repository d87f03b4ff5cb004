import { describe, expect, it } from 'vitest';
import { developmentKey, doorKit, logout, opened, records } from '../support/door-kit.ts';

describe('a logout is accepted', () => {
  it.each([
    [logout, { kind: 'logout', ...logout }, {}],
    [{ ...logout, session: '' }, { kind: 'logout', channelId: 1, user: 'client-1' }, {}],
    [{ ...logout, publicIp: '', data: null }, { kind: 'logout', ...logout }, {}],
    [
      { ...logout, publicIp: '203.0.113.7' },
      { kind: 'logout', ...logout, publicIp: '203.0.113.7' },
      {
        'ip.valid': true,
        'ip.version': 4,
        'ip.address': '203.0.113.7',
        'ip.network': '203.0.113.0/24',
        'ip.kind': 'documentation',
      },
    ],
  ])('%j', async (body, event, facts) => {
    const kit = await doorKit();
    expect((await kit.post('logout', body)).statusCode).toBe(200);
    const [record] = await records(kit);
    expect(opened(kit, record!)).toEqual({ event, enrichment: { facts }, bodyText: JSON.stringify(body) });
  });

  it('at the development path, into the log of that workspace', async () => {
    const kit = await doorKit();
    const path = '/api-dev/v5/analytics/web/logout';
    expect((await kit.post('logout', logout, { path, key: developmentKey })).statusCode).toBe(200);
    expect(await records(kit)).toEqual([]);
    expect(await kit.log.read('devdevde', 0, 10)).toHaveLength(1);
  });
});
