import { describe, expect, it } from 'vitest';
import { requestBytesMax, RequestWriter, type Traffic } from '../src/load/traffic.ts';

const traffic: Traffic = {
  host: '127.0.0.1',
  token: 'a-license-key',
  pathPrefix: '/api/v5/analytics/app',
  clients: 50,
  width: 20,
  payments: 2,
  markEvery: 7,
  run: 3,
};

interface Sent {
  readonly kind: string;
  readonly body: {
    readonly user?: string;
    readonly session?: string;
    readonly timestamp?: string;
    readonly transaction?: { readonly reference: string; readonly category: string };
    readonly account?: { readonly client: string; readonly session: string };
    readonly order?: { readonly amount: number };
    readonly publicIp?: string;
    readonly accountTo?: { readonly accountNumber: string };
  };
}

const nowMs = Date.UTC(2026, 4, 17, 12);
const writer = new RequestWriter(traffic);

function request(serial: number): Sent {
  const buffer = Buffer.alloc(requestBytesMax);
  const text = buffer.toString('utf8', 0, writer.fill(buffer, serial, nowMs));
  const [head = '', body = ''] = text.split('\r\n\r\n');
  expect(head).toContain(`Content-Length: ${body.length}`);
  expect(text).not.toContain('~');
  return { kind: /POST \S*\/(\w+) HTTP/.exec(head)?.[1] ?? '', body: JSON.parse(body) as Sent['body'] };
}

const sent = Array.from({ length: 600 }, (_, serial) => request(serial));

describe('RequestWriter', () => {
  it('writes a login, eight operations and a logout of each session, in order', () => {
    const visits = Map.groupBy(sent, ({ body }) => body.session ?? body.account?.session);
    expect(visits.size).toBe(60);
    for (const visit of visits.values()) {
      const kinds = visit.map(({ kind }) => kind);
      expect(kinds).toEqual(['login', ...Array.from({ length: 8 }, () => 'operation'), 'logout']);
      expect(new Set(visit.map(({ body }) => body.user ?? body.account?.client)).size).toBe(1);
    }
  });

  it('never writes the same operation twice', () => {
    const references = sent.flatMap(({ body }) => body.transaction?.reference ?? []);
    expect(new Set(references).size).toBe(references.length);
  });

  it('writes the requested number of payments per visit, each client with its own payee and address', () => {
    const visits = Map.groupBy(sent, ({ body }) => body.session ?? body.account?.session);
    for (const visit of visits.values()) {
      const paid = visit.filter(({ body }) => body.order !== undefined && body.transaction?.category === 'transfer');
      expect(paid.length).toBeLessThanOrEqual(traffic.payments);
    }
    const addresses = new Set(sent.flatMap(({ body }) => body.publicIp ?? []));
    expect(addresses.size).toBe(traffic.clients);
    const payees = new Set(sent.flatMap(({ body }) => body.accountTo?.accountNumber ?? []));
    expect(payees.size).toBe(traffic.clients);
  });

  it('sends half of the payments to payees spread over all', () => {
    const spreadWriter = new RequestWriter({ ...traffic, payments: 8, payees: 1_000_000 });
    const buffer = Buffer.alloc(requestBytesMax);
    const payees = Array.from({ length: 600 }, (_, serial) => {
      const text = buffer.toString('utf8', 0, spreadWriter.fill(buffer, serial, nowMs));
      return /"accountTo":\{"client":"payee","accountNumber":"(\d+)"/.exec(text)?.[1];
    }).filter((payee) => payee !== undefined);
    const known = new Set(sent.flatMap(({ body }) => body.accountTo?.accountNumber ?? []));
    const others = payees.filter((payee) => !known.has(payee));
    expect(others.length).toBeGreaterThan(payees.length * 0.4);
    expect(others.length).toBeLessThan(payees.length * 0.6);
    expect(new Set(others).size).toBeGreaterThan(others.length * 0.95);
  });

  it('marks the requested share of operations', () => {
    const marked = sent.filter(({ body }) => body.transaction?.category === 'benchmark-marked');
    expect(marked.length).toBeGreaterThan(600 / 7 / 2);
    expect(marked.length).toBeLessThanOrEqual(600 / 7 + 1);
  });

  it('writes amounts as numbers and the given time', () => {
    const { order, timestamp } = sent.find(({ body }) => body.order !== undefined)?.body ?? {};
    expect(order?.amount).toBeGreaterThan(9_000);
    expect(timestamp).toBe('2026-05-17T12:00:00.000Z');
  });
});
