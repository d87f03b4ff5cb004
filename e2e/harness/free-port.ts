import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

/**
 * Below the ports that systems assign to outgoing connections (from 32,768 on Linux, 49,152 elsewhere): while a service
 * is down between a kill and its next start, no unrelated connection takes its port.
 */
const ports = { from: 10_000, to: 32_768 };
const triesMax = 100;

/** A TCP port of the loopback that is not in use. Another process may take it first; then the start fails. */
export async function freePort(): Promise<number> {
  for (let tries = 0; tries < triesMax; tries++) {
    const port = randomInt(ports.from, ports.to);
    if (await isFree(port)) return port;
  }
  throw new Error(`no free port on the loopback in ${triesMax} tries`);
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}
