import { expect, it } from 'vitest';
import type { EventDetail } from '../src/api/operations.generated.ts';
import { derivedGroups } from '../src/pages/event/derived-groups.ts';

const event: EventDetail = {
  id: 'evt_1_1',
  kind: 'operation',
  status: 'decided',
  loggedAt: '2026-11-22T08:00:00Z',
  matched: false,
  mismatch: 'closed',
  fired: [301],
  shadow: [],
  derived: { 'ip.country': 'MX', 'device.id': 'd' },
  rules: [
    {
      reason: 301,
      name: 'Burst',
      mode: 'live',
      facts: { clientPayments5m: '6', 'order.amount': '10', 'client.known': 'true', publicIp: '192.0.2.1' },
    },
  ],
  missing: [],
  score: 0,
  actions: [],
  outcomes: [],
};

it('groups derived facts and leaves out members of the body', () => {
  expect(derivedGroups(event)).toEqual([
    { name: 'device', facts: [['device.id', 'd']] },
    { name: 'address', facts: [['ip.country', 'MX']] },
    {
      name: 'session',
      facts: [
        ['session.matched', 'false'],
        ['session.mismatch', 'closed'],
      ],
    },
    { name: 'client', facts: [['client.known', 'true']] },
    { name: 'features', facts: [['clientPayments5m', '6']] },
  ]);
});
