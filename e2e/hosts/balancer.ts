import { Agent, createServer, request } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { isReady } from '../harness/service.ts';

/** A load balancer as operators configure one: it sends requests in turn to the services whose `/readyz` answers 200. */
export interface Balancer {
  readonly url: string;
  close(): Promise<void>;
}

const lookEveryMs = 200;

/**
 * Answers 503 while no service is ready, and 502 when a ready one breaks off. Tries no request twice.
 *
 * @param urls of the services
 * @param host the address where it listens
 */
export async function startBalancer(urls: readonly string[], host: string): Promise<Balancer> {
  let ready: readonly string[] = [];
  let turn = 0;
  const stopping = new AbortController();
  const agent = new Agent({ keepAlive: true });
  const watching = (async () => {
    while (!stopping.signal.aborted) {
      const all = await Promise.all(urls.map((url) => isReady(url).catch(() => undefined)));
      ready = urls.filter((_, place) => all[place] === true);
      await sleep(lookEveryMs);
    }
  })();
  const server = createServer((asked, answer) => {
    const url = ready[turn++ % ready.length];
    if (url === undefined) return void answer.writeHead(503).end();
    const { method, headers } = asked;
    const passed = request(`${url}${asked.url}`, { method, headers, agent }, (given) => {
      answer.writeHead(given.statusCode!, given.headers);
      given.pipe(answer);
    });
    passed.on('error', (error) => answer.writeHead(502).end(`${url}: ${error.message}`));
    asked.pipe(passed);
  }).listen(0, host);
  await once(server, 'listening');
  return {
    url: `http://${host}:${(server.address() as AddressInfo).port}`,
    close: async () => {
      stopping.abort();
      await watching;
      server.closeAllConnections();
      server.close();
      agent.destroy();
    },
  };
}
