/**
 * Goal: a client that tries license keys is slowed down and reported, and no one else is locked out.
 * Method: requests over real sockets from several loopback addresses.
 */
import { Agent, request } from 'node:http';
import { parseCidr } from '@ringfence/delivery';
import { afterEach, describe, expect, it } from 'vitest';
import { ClientAddresses } from '../../src/platform/http/client-address.ts';
import {
  developmentKey,
  doorKit,
  type DoorKit,
  type DoorKitOptions,
  login,
  productionKey,
} from './support/door-kit.ts';

const agent = new Agent({ keepAlive: true });
const doors: DoorKit[] = [];
afterEach(async () => {
  agent.destroy();
  for (const kit of doors.splice(0)) await kit.app.close();
});

async function listening(deps: DoorKitOptions['deps'] = {}): Promise<DoorKit> {
  const kit = await doorKit({ deps });
  await kit.app.listen({ host: '127.0.0.1', port: 0 });
  doors.push(kit);
  return kit;
}

interface Answer {
  readonly status: number;
  readonly code: string | undefined;
  readonly retryAfter: string | undefined;
  readonly connection: string | undefined;
}

interface From {
  readonly localAddress?: string;
  readonly forwardedFor?: string;
}

function send(kit: DoorKit, key: string, { localAddress = '127.0.0.1', forwardedFor }: From = {}): Promise<Answer> {
  const headers = {
    authorization: `Bearer ${key}`,
    'content-type': 'application/json',
    ...(forwardedFor === undefined ? {} : { 'x-forwarded-for': forwardedFor }),
  };
  const path = '/api/v5/analytics/app/login';
  const { port } = kit.app.server.address() as { readonly port: number };
  return new Promise((resolve, reject) => {
    const sending = request({ port, localAddress, agent, method: 'POST', path, headers }, (response) => {
      let body = '';
      response.on('data', (chunk) => (body += String(chunk)));
      response.on('end', () => {
        const { code } = JSON.parse(body) as { readonly code?: string };
        const { connection, 'retry-after': retryAfter } = response.headers;
        resolve({ status: response.statusCode!, code, retryAfter, connection });
      });
    });
    sending.on('error', reject);
    sending.end(JSON.stringify(login));
  });
}

const statuses = async (count: number, once: () => Promise<Answer>): Promise<readonly number[]> => {
  const found = new Set<number>();
  for (let i = 0; i < count; i++) found.add((await once()).status);
  return [...found];
};

describe('an address that sends wrong license keys', () => {
  it('gets 401 twenty times, then 429 with Retry-After and a closed connection', async () => {
    const kit = await listening();
    expect(await statuses(20, () => send(kit, 'x'.repeat(40)))).toEqual([401]);
    const limited = await send(kit, developmentKey);
    expect(limited).toEqual({ status: 429, code: 'rate.limited', retryAfter: '3', connection: 'close' });
    kit.pass(3_000);
    expect((await send(kit, '')).status).toBe(401);
    expect((await send(kit, '')).status).toBe(429);
    kit.pass(60_000);
    expect(await statuses(20, () => send(kit, 'y'))).toEqual([401]);
    expect((await send(kit, 'y')).status).toBe(429);
  });

  it('is logged once at the start, and no key is logged', async () => {
    const kit = await listening();
    await statuses(30, () => send(kit, 'rf_live_wrong'));
    expect(kit.warnings).toEqual([{ address: '127.0.0.1', message: 'too many wrong license keys from this address' }]);
  });

  it('is still served with a valid key: many senders may share an address', async () => {
    const kit = await listening();
    await statuses(30, () => send(kit, 'x'));
    expect((await send(kit, productionKey)).status).toBe(200);
    expect((await send(kit, 'x')).status).toBe(429);
  });

  it('does not use up the attempts of another address', async () => {
    const kit = await listening();
    await statuses(30, () => send(kit, 'x'));
    expect((await send(kit, 'x', { localAddress: '127.0.0.2' })).status).toBe(401);
  });

  it('cannot hide behind X-Forwarded-For', async () => {
    const kit = await listening();
    let turn = 0;
    const hiding = (): Promise<Answer> => send(kit, 'x', { forwardedFor: `203.0.113.${turn++}` });
    await statuses(20, hiding);
    expect((await hiding()).status).toBe(429);
  });

  it('is the one that a proxy of the operator reports', async () => {
    const kit = await listening({ senders: new ClientAddresses([parseCidr('127.0.0.1/32')!]) });
    await statuses(20, () => send(kit, 'x', { forwardedFor: '203.0.113.1' }));
    expect((await send(kit, 'x', { forwardedFor: '203.0.113.1' })).status).toBe(429);
    expect((await send(kit, 'x', { forwardedFor: '203.0.113.2' })).status).toBe(401);
    // Addresses sent by the client come before the one that the proxy appends.
    expect((await send(kit, 'x', { forwardedFor: '203.0.113.2, 203.0.113.1' })).status).toBe(429);
  });

  it('has as many attempts as configured', async () => {
    const kit = await listening({ limits: { wrongKeysPerMinute: 2 } });
    expect((await send(kit, 'x')).status).toBe(401);
    expect((await send(kit, 'x')).status).toBe(401);
    expect(await send(kit, 'x')).toMatchObject({ status: 429, retryAfter: '30' });
  });
});
