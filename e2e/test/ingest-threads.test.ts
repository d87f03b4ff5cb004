/** The threads that take events, in a real process: nothing that its main thread does delays them. */
import { once } from 'node:events';
import { Agent, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { expect, it, onTestFinished } from 'vitest';
import { crashPolicy } from '../harness/bank.ts';
import { eventually } from '../harness/eventually.ts';
import { freePort } from '../harness/free-port.ts';
import { inspectable, openInspector } from '../harness/inspector.ts';
import { writeInstallation } from '../harness/installation.ts';
import { login } from '../harness/event-bodies.ts';
import { licenseKey, openScene, type Scene } from '../harness/scene.ts';
import { startService } from '../harness/service.ts';
import { temporaryHome } from '../harness/temporary-home.ts';

interface Answered {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
  readonly isReplay: boolean;
}

/** One connection of a bank's backend, kept open. */
function connect({ service }: Scene): (body: object, headers?: Readonly<Record<string, string>>) => Promise<Answered> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  onTestFinished(() => agent.destroy());
  return async (body, headers = {}) => {
    const sending = request(`${service.url}/api/v5/analytics/app/login`, {
      agent,
      method: 'POST',
      headers: { authorization: `Bearer ${licenseKey}`, 'content-type': 'application/json', ...headers },
    });
    sending.end(JSON.stringify(body));
    const [response] = await once(sending, 'response');
    return {
      status: response.statusCode,
      body: JSON.parse(await text(response)),
      isReplay: response.headers['idempotency-replayed'] === 'true',
    };
  };
}

async function open(plan: { readonly ingestThreads?: number }): Promise<Scene> {
  const scene = await openScene({ policy: crashPolicy, nodeArguments: inspectable, ...plan });
  onTestFinished(() => scene.close());
  return scene;
}

it('events are taken and decided while the main thread does nothing for them', async () => {
  const scene = await open({});
  const inspector = await openInspector(scene.service);
  onTestFinished(() => inspector.close());
  const send = connect(scene);
  await inspector.pauseMain();
  let isAnswered = false;
  const health = fetch(`${scene.service.managementUrl}/healthz`).then(() => (isAnswered = true));

  const answers: Answered[] = [];
  for (const client of ['ana', 'eva', 'ivo'])
    answers.push(await send(login({ client, session: `s-${client}` }), { prefer: 'wait=30' }));
  const ready = await fetch(`${scene.service.url}/readyz`);
  expect(answers.map(({ status, body }) => [status, body['status']])).toEqual([
    [200, 'decided'],
    [200, 'decided'],
    [200, 'decided'],
  ]);
  expect([ready.status, await ready.json()]).toEqual([200, expect.objectContaining({ status: 'ready' })]);
  expect(isAnswered).toBe(false);

  await inspector.resumeMain();
  await health;
});

it('two threads share one port, each takes requests, and a sender notices nothing of it', async () => {
  const scene = await open({ ingestThreads: 2 });
  const inspector = await openInspector(scene.service);
  onTestFinished(() => inspector.close());
  // That one thread gets all of them by chance has a probability of 2^-31.
  const senders = Array.from({ length: 32 }, () => connect(scene));
  // The first event makes tables, which a busy machine may not do in the time that all of them have.
  await eventually('the first event is taken', 30_000, async () => {
    const { status } = await senders[0]!(login({ client: 'first', session: 'first' }), { 'idempotency-key': 'first' });
    return status === 200 ? true : undefined;
  });
  const body = login({ client: 'ana', session: 's' });
  const same = await Promise.all(senders.map((send) => send(body, { 'idempotency-key': 'one' })));
  expect(same.map(({ status }) => status)).toEqual(senders.map(() => 200));
  expect(new Set(same.map((answer) => answer.body['id'])).size).toBe(1);
  expect(same.filter(({ isReplay }) => !isReplay)).toHaveLength(1);

  const connections = await inspector.evaluateIn(
    'ingest',
    `process.getActiveResourcesInfo().filter((name) => name === 'TCPSocketWrap').length`,
  );
  expect(connections).toHaveLength(2);
  expect(Math.min(...connections.map(Number))).toBeGreaterThan(0);

  const each = await Promise.all(
    senders.map((send, i) => send(login({ client: `c${i}`, session: `s${i}` }), { prefer: 'wait=30' })),
  );
  expect(each.map((answer) => answer.body['status'])).toEqual(senders.map(() => 'decided'));
  const metrics = await (await fetch(`${scene.service.managementUrl}/metrics`)).text();
  expect(metrics).toContain('ringfence_requests_total{route="login",status="200"} 65');
});

it('another process is refused the port that two threads share', async () => {
  const scene = await open({ ingestThreads: 2 });
  const home = await temporaryHome('second');
  onTestFinished(() => home.remove());
  const managementPort = await freePort();
  const { port } = scene.options;
  const installation = { home: home.path, port, managementPort, licenseKey, webhookUrl: scene.receiver.url };
  const configFile = await writeInstallation({ ...installation, policy: crashPolicy, ingestThreads: 2 });
  await expect(startService({ configFile, port, managementPort })).rejects.toThrow(
    `listen: another program already listens on 127.0.0.1:${port}.`,
  );
});

it('a thread that ends takes the process with it, which says why', async () => {
  const scene = await open({ ingestThreads: 2 });
  const inspector = await openInspector(scene.service);
  await inspector.evaluateIn('ingest', 'void setTimeout(() => process.exit(7), 1_000)');
  // A process waits for its debugger before it ends.
  inspector.close();
  expect(await scene.service.ended).toBe(1);
  expect(scene.service.output()).toContain('a thread that takes events ended with code 7');
});
