/** `npm start` without configuration, database and keys. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { login } from '../harness/event-bodies.ts';
import { freePort } from '../harness/free-port.ts';
import { type Service, startService } from '../harness/service.ts';
import { temporaryHome, type TemporaryHome } from '../harness/temporary-home.ts';

function keysIn(output: string): readonly string[] {
  const shown = new Set(output.match(/\brf_[A-Za-z]+_[0-9A-Za-z_]{20,}/g));
  return [...shown].filter((key) => !key.startsWith('rf_admin'));
}

describe('a start without any configuration', () => {
  let home: TemporaryHome;
  let service: Service;
  let start: () => Promise<Service>;

  beforeAll(async () => {
    home = await temporaryHome('first');
    const [port, managementPort] = [await freePort(), await freePort()];
    const env = { RINGFENCE_HOME: home.path, PORT: String(port), MANAGEMENT_PORT: String(managementPort) };
    start = () => startService({ configFile: undefined, port, managementPort, env });
    service = await start();
  });
  afterAll(async () => {
    await service.stop();
    await home.remove();
  });

  it('creates and prints a key for each environment, each valid only there', async () => {
    // `/readyz` may respond before the keys are printed.
    await expect.poll(() => keysIn(service.output())).toHaveLength(2);
    const keys = keysIn(service.output());
    const answers = await Promise.all(
      keys.map((key) => Promise.all(['/api', '/api-dev'].map((prefix) => statusOf(`${service.url}${prefix}`, key)))),
    );
    expect(answers.map((pair) => pair.toSorted((a, b) => a - b))).toEqual([
      [200, 401],
      [200, 401],
    ]);
    expect(answers.flat()[0]).not.toBe(answers.flat()[2]);
  });

  it('prints no key at the next start, and the old ones stay valid', async () => {
    const [key = ''] = service.output().match(/\brf_(?!admin)[A-Za-z]+_[0-9A-Za-z_]{20,}/) ?? [];
    const before = await Promise.all(['/api', '/api-dev'].map((prefix) => statusOf(`${service.url}${prefix}`, key)));
    await service.stop();
    service = await start();
    expect(service.output()).not.toMatch(/\brf_(?!admin)[A-Za-z]+_[0-9A-Za-z_]{20,}/);
    expect(await Promise.all(['/api', '/api-dev'].map((prefix) => statusOf(`${service.url}${prefix}`, key)))).toEqual(
      before,
    );
  });
});

async function statusOf(base: string, key: string): Promise<number> {
  const response = await fetch(`${base}/v5/analytics/app/login`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify(login({ client: 'c', session: 's' })),
  });
  await response.arrayBuffer();
  return response.status;
}
