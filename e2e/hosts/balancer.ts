import { Agent, createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';

/** A load balancer as operators configure one: it sends requests in turn to the services whose `/readyz` answers 200. */
export interface Balancer {
  readonly url: string;
  /** How many requests were sent to a second service, by why: its 503, or a connection that failed. */
  readonly repeated: Readonly<Record<'503' | 'connection', number>>;
  close(): Promise<void>;
}

const lookEveryMs = 200;
/** A service that says nothing for longer is not ready. */
const lookMsMax = 1_000;
const triesMax = 2;

interface Given {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  readonly body: Buffer;
}

/**
 * Looks at each service by itself, so that a slow one does not hide that another one stops. While none is ready, it
 * takes all for ready: one may answer. A request with an `Idempotency-Key` goes to a second service when the first one
 * answers 503, or its connection fails; any other request is sent once.
 *
 * @param urls of the services
 * @param host the address where it listens
 */
export async function startBalancer(urls: readonly string[], host: string): Promise<Balancer> {
  const ready = new Set<string>();
  const repeated = { '503': 0, connection: 0 };
  let turn = 0;
  const stopping = new AbortController();
  const agent = new Agent({ keepAlive: true });
  const watching = urls.map(async (url) => {
    while (!stopping.signal.aborted) {
      if (await isReady(url)) ready.add(url);
      else ready.delete(url);
      await sleep(lookEveryMs);
    }
  });
  const pass = async (asked: IncomingMessage, answer: ServerResponse): Promise<void> => {
    const body = await buffer(asked);
    const from = turn++;
    const tried: string[] = [];
    for (;;) {
      const left = urls.filter((url) => !tried.includes(url));
      const preferred = left.filter((url) => ready.has(url));
      const among = preferred.length > 0 ? preferred : left;
      const url = among[from % among.length]!;
      tried.push(url);
      const given = await send({ url, asked, body, agent }).catch((error: Error) => error);
      const isLast = tried.length === triesMax || asked.headers['idempotency-key'] === undefined;
      if (given instanceof Error) {
        if (isLast) return void answer.writeHead(502).end(`${url}: ${given.message}`);
        repeated.connection += 1;
      } else {
        if (given.status !== 503 || isLast) return void answer.writeHead(given.status, given.headers).end(given.body);
        repeated['503'] += 1;
      }
    }
  };
  const server = createServer((asked, answer) => {
    // A caller who is gone needs no answer.
    pass(asked, answer).catch(() => answer.destroy());
  }).listen(0, host);
  await once(server, 'listening');
  return {
    url: `http://${host}:${(server.address() as AddressInfo).port}`,
    repeated,
    close: async () => {
      stopping.abort();
      await Promise.all(watching);
      server.closeAllConnections();
      server.close();
      agent.destroy();
    },
  };
}

async function isReady(url: string): Promise<boolean> {
  try {
    const response = await fetch(`${url}/readyz`, { signal: AbortSignal.timeout(lookMsMax) });
    await response.arrayBuffer();
    return response.status === 200;
  } catch {
    return false;
  }
}

async function send({
  url,
  asked: { url: path, method, headers },
  body,
  agent,
}: {
  readonly url: string;
  readonly asked: IncomingMessage;
  readonly body: Buffer;
  readonly agent: Agent;
}): Promise<Given> {
  const passed = request(`${url}${path}`, { method, headers, agent });
  passed.on('error', () => {}); // also after the answer
  passed.end(body);
  const [given] = (await once(passed, 'response')) as [IncomingMessage];
  return { status: given.statusCode!, headers: given.headers, body: await buffer(given) };
}
