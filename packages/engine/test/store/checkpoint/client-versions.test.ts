import { ByteWriter } from '@ringfence/contract';
import { expect, it } from 'vitest';
import { ClientEntity } from '../../../src/clients/client-entity.ts';
import { decodeClient, writeClientSnapshot } from '../../../src/store/checkpoint/entity-codec.ts';

function encoded(client: ClientEntity): Buffer {
  const writer = new ByteWriter();
  writeClientSnapshot(writer, client);
  return Buffer.from(writer.take());
}

function awaiting(): ClientEntity {
  const client = new ClientEntity('s');
  client.logins = 3;
  const session = { channelId: 1, id: 's1', openedOffset: 5 };
  const asked = { offset: 7, reason: 100, position: 0, action: 6, session, atMs: 0 };
  client.await({ ...asked, device: 'PHONE', methods: undefined });
  return client;
}

it('keeps step-ups and outcomes', () => {
  const client = awaiting();
  client.await({ ...client.awaited[0]!, offset: 9, atMs: 1_000, methods: ['passkey', 'token'] });
  client.stepUps = [
    { result: 'passed', atMs: 900, openedOffset: 0 },
    { result: 'abandoned', atMs: 1_000, openedOffset: undefined },
  ];
  client.lastOutcome = { outcome: 'chargeback', atMs: 1_100 };
  const read = decodeClient(encoded(client), 's');
  const { awaited, lastOutcome, stepUps } = client;
  expect(read).toMatchObject({ awaited, lastOutcome, stepUps });
  expect(encoded(read)).toEqual(encoded(client));
});

it('reads a client of version 4, in which awaited actions had neither time nor methods', () => {
  const now = encoded(awaiting());
  const times = now.indexOf('PHONE') + 'PHONE'.length;
  // Without the time and the methods of the action, the step-ups and the last outcome: a byte each.
  const before = Buffer.concat([now.subarray(0, times), now.subarray(times + 2, -2)]);
  before[0] = 4;
  expect(encoded(decodeClient(before, 's'))).toEqual(now);
});
