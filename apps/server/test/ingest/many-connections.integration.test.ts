/**
 * Goal: one address cannot use up all connections, and other addresses are not affected.
 * Method: raw sockets from several loopback addresses against a listening server. The control is a server that treats
 * the address as one of the operator's proxies.
 */
import { once } from 'node:events';
import { request } from 'node:http';
import { connect, type Socket } from 'node:net';
import { parseCidr } from '@ringfence/delivery';
import type { FastifyInstance } from 'fastify';
import { afterEach, describe, expect, it } from 'vitest';
import { ClientAddresses } from '../../src/platform/http/client-address.ts';
import { doorKit, type DoorKit, type DoorKitOptions, operation, productionKey } from './support/door-kit.ts';

const open: (FastifyInstance | Socket)[] = [];
afterEach(async () => {
  for (const one of open.splice(0).toReversed()) await ('listen' in one ? one.close() : one.destroy());
});

interface Listening {
  readonly kit: DoorKit;
  readonly port: number;
  /** Connections that were closed because of the limit. */
  readonly refused: { count: number };
}

async function listening(deps: DoorKitOptions['deps'] = {}): Promise<Listening> {
  const refused = { count: 0 };
  const metrics = {
    answered: () => undefined,
    appended: () => undefined,
    refusedForLag: () => undefined,
    connectionRefused: () => refused.count++,
  };
  const limits = { connectionsPerAddressMax: 3, drainMs: 100 };
  const kit = await doorKit({ deps: { limits, metrics, ...deps } });
  const port = Number(new URL(await kit.app.listen({ host: '127.0.0.1', port: 0 })).port);
  open.push(kit.app);
  return { kit, port, refused };
}

/** A connection that the server has accepted, from one of this machine's own addresses. */
async function connection({ kit, port }: Listening, localAddress: string): Promise<Socket> {
  const known = once(kit.app.server, 'connection');
  const socket = connect({ port, host: '127.0.0.1', localAddress });
  open.push(socket);
  socket.on('error', () => undefined);
  await known;
  return socket;
}

/** The status of an event sent over a new connection; `closed` if the connection is closed. */
function send({ port }: Listening, localAddress: string): Promise<number | 'closed'> {
  return new Promise((resolve) => {
    const sending = request({
      port,
      localAddress,
      method: 'POST',
      path: '/api/v5/analytics/app/operation',
      agent: false,
      headers: { authorization: `Bearer ${productionKey}`, 'content-type': 'application/json' },
    });
    sending.on('response', (response) => {
      response.resume();
      response.on('end', () => resolve(response.statusCode!));
    });
    sending.on('error', () => resolve('closed'));
    sending.end(JSON.stringify(operation));
  });
}

describe('connections of one address', () => {
  it('beyond its limit are closed; other addresses are not affected', async () => {
    const door = await listening();
    for (let i = 0; i < 3; i++) await connection(door, '127.0.0.2');
    const further = await connection(door, '127.0.0.2');
    await once(further, 'close');
    expect(await send(door, '127.0.0.2')).toBe('closed');
    expect(await send(door, '127.0.0.3')).toBe(200);
    expect(door.refused.count).toBe(2);
  });

  it('no longer count once they are closed', async () => {
    const door = await listening();
    const sockets = [];
    for (let i = 0; i < 3; i++) sockets.push(await connection(door, '127.0.0.2'));
    expect(await send(door, '127.0.0.2')).toBe('closed');
    const [ended] = sockets;
    const accepted = once(door.kit.app.server, 'connection');
    ended!.destroy();
    await expect.poll(() => send(door, '127.0.0.2')).toBe(200);
    await accepted;
    for (let i = 0; i < 20; i++) expect(await send(door, '127.0.0.2')).toBe(200);
  });

  it('are logged with their listener and address, so that equal lines can be counted', async () => {
    const door = await listening();
    for (let i = 0; i < 3; i++) await connection(door, '127.0.0.2');
    for (let i = 0; i < 2; i++) await send(door, '127.0.0.2');
    const line = { listener: 'listen', address: '127.0.0.2', message: expect.stringContaining('too many') };
    expect(door.kit.warnings).toEqual([line, line]);
  });

  it('are not counted if the address is a proxy of the operator', async () => {
    const door = await listening({ senders: new ClientAddresses([parseCidr('127.0.0.2/32')!]) });
    for (let i = 0; i < 10; i++) await connection(door, '127.0.0.2');
    expect(await send(door, '127.0.0.2')).toBe(200);
    expect(door.refused.count).toBe(0);
  });
});
