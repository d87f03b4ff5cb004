import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';

/** Distinct ports of this machine on which nothing listens at present. */
export async function freePorts(count: number): Promise<readonly number[]> {
  const servers = Array.from({ length: count }, () => createServer().listen(0, '127.0.0.1'));
  // All are held until every one is known; otherwise one could be returned twice.
  await Promise.all(servers.map((server) => once(server, 'listening')));
  const ports = servers.map((server) => (server.address() as AddressInfo).port);
  await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
  return ports;
}
