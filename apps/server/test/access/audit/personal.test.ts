import { describe, expect, it } from 'vitest';
import {
  maskAddress,
  maskDerived,
  maskEntity,
  maskFacts,
  maskPayload,
  maskText,
} from '../../../src/access/audit/personal.ts';
import { exactJson } from '../../../src/records/exact-json.ts';

describe('a mask', () => {
  it.each([
    ['', ''],
    ['a', 'a•••'],
    ['ana', 'a•••'],
    ['ana.lopez', 'an•••ez'],
    ['ana.lopez.de.la.vega', 'an•••ga'],
    ['👩‍💻', '👩•••'],
  ])('of %j is %j: it does not reveal the length', (text, masked) => {
    expect(maskText(text)).toBe(masked);
  });

  it.each([
    ['203.0.113.7', '203.0.•.•'],
    ['2001:db8:1:2::7', '2001:db8:•'],
  ])('of the address %s keeps its network', (address, masked) => {
    expect(maskAddress(address)).toBe(masked);
  });

  it('leaves a device as it is, because it is random', () => {
    expect(maskEntity('device', 'k3v7q2ma')).toBe('k3v7q2ma');
    expect(maskEntity('payee', 'B1/0042424242')).toBe('B1•••42');
  });
});

describe('derived facts', () => {
  it('keep the network of an address, and facts that identify no one', () => {
    expect(
      maskDerived({
        'ip.address': '203.0.113.7',
        'ip.network': '203.0.113.0/24',
        'ip.country': 'MX',
        'ip.valid': true,
        'ip.asn': 15_169,
        'device.id': 'k3v7q2ma',
      }),
    ).toEqual({
      'ip.address': '203.0.•.•',
      'ip.network': '203.0.•.•',
      'ip.country': 'MX',
      'ip.valid': true,
      'ip.asn': 15_169,
      'device.id': 'k3v7q2ma',
    });
  });
});

describe('a payload', () => {
  const body = `{"channelId":1,"timestamp":"2026-11-21T09:00:00Z","transaction":{"category":"transfer","reference":"ref-1","details":{"note":"rent"}},
    "account":{"client":"ana","bank":"B1","accountNumber":"42","clientRefId":4711},"order":{"amount":10.10,"currency":"MXN"},"tags":["x","y"],"isNew":true}`;

  it('keeps its structure and members without personal data', () => {
    expect(JSON.parse(JSON.stringify(maskPayload(exactJson(body))))).toEqual({
      channelId: 1,
      timestamp: '2026-11-21T09:00:00Z',
      transaction: { category: 'transfer', reference: 'r•••', details: { note: 'r•••' } },
      account: { client: 'a•••', bank: 'B1', accountNumber: '4•••', clientRefId: '•••' },
      order: { amount: 10.1, currency: 'MXN' },
      tags: ['x•••', 'y•••'],
      isNew: true,
    });
    expect(JSON.stringify(maskPayload(exactJson(body)))).toContain('"amount":10.10');
  });

  it('masks unknown members', () => {
    expect(maskPayload({ newMember: { secret: 'hunter2' }, other: 1234 })).toEqual({
      newMember: { secret: 'h•••' },
      other: '•••',
    });
  });
});

describe('facts that a rule read', () => {
  it('are shown if they are numbers, and masked if they are names', () => {
    const facts = {
      'order.amount': '25000',
      'client.operations': '7',
      clientPayments5m: '6',
      payeeFirstSeen: '0s',
      clientIpFirstSeen: '1s214ms',
      clientAmountAvg30d: '6612.625',
      previousAccount: '5512345678',
      lastPayee: 'B1/0042424242',
      'account.client': 'ana',
      'account.bank': 'B1',
      'payee.id': 'B1/42',
      'ip.country': 'MX',
      publicIp: '203.0.113.7',
    };
    expect(maskFacts(facts)).toEqual({
      ...facts,
      previousAccount: '55•••78',
      lastPayee: 'B1•••42',
      'account.client': 'a•••',
      'payee.id': 'B•••',
      publicIp: '20•••.7',
    });
  });
});
