import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { expect, it } from 'vitest';
import { checkAddress } from '../../src/config/listening.ts';

it('an address in use is reported before anything is created, and a free address is released again', async () => {
  const other = createServer().listen({ host: '127.0.0.1', port: 0 });
  await once(other, 'listening');
  const { port } = other.address() as AddressInfo;
  await expect(checkAddress({ host: '127.0.0.1', port }, 'listen')).rejects.toThrow(
    `listen: another program already listens on 127.0.0.1:${port}.`,
  );
  await expect(checkAddress({ host: '203.0.113.1', port: 0 }, 'management')).rejects.toThrow('EADDRNOTAVAIL');
  other.close();
  await once(other, 'close');
  await checkAddress({ host: '127.0.0.1', port }, 'listen');
  await checkAddress({ host: '127.0.0.1', port }, 'listen');
});
