/** The main thread's handle of the threads that take events, with real ones. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect, type SecureContextOptions } from 'node:tls';
import { Worker } from 'node:worker_threads';
import { afterEach, beforeEach, expect, it, onTestFinished, vi } from 'vitest';
import { IngestThreads, loadIngestThreads } from '../../src/ingest/ingest-threads.ts';
import { manifestPath } from '../../src/ingest/networks/intel-folder.ts';
import { PostgresWorkspaceRegistry } from '../../src/tenancy/workspaces/postgres-registry.ts';
import { createWorkspace } from '../../src/tenancy/workspaces/workspace-store.ts';
import { testAuthority } from '../deliver/support/certificates.ts';
import { type Installation, makeInstallation } from '../support/installation.ts';
import { login } from './support/door-kit.ts';

const loopback = { host: '127.0.0.1', port: 0 };
const authority = testAuthority('a test of ingest threads');
const first = authority.issue('first.bank.example');
const second = authority.issue('second.bank.example');

let installation: Installation;
let home: string;
const onCrash = vi.fn<(error: Error) => void>();

beforeEach(async () => {
  installation = await makeInstallation();
  home = mkdtempSync(join(tmpdir(), 'ringfence-ingest-'));
  onCrash.mockReset();
});
afterEach(async () => {
  await installation.close();
  rmSync(home, { recursive: true });
});

function start(workers: readonly Worker[] = loadIngestThreads(1), tls?: SecureContextOptions): IngestThreads {
  const logger = { info: () => {}, warn: () => {}, error: () => {} };
  const threads = new IngestThreads({ threads: workers, logger, onCrash });
  const { connection: database, master } = installation;
  const settings = { database, further: [], master: master.source, home, limits: {}, trustedProxies: [], tls };
  threads.begin(settings, []);
  onTestFinished(() => threads.stop());
  return threads;
}

it('accept a key as soon as the registry of the main thread is refreshed, and count what they answer', async () => {
  const threads = start();
  const port = await threads.listen(loopback);
  const { pool, master, log } = installation;
  const onError = (error: unknown): never => assert.fail(String(error));
  const refreshOthers = (): Promise<void> => threads.refresh();
  const registry = new PostgresWorkspaceRegistry({ pool, master, now: Date.now, onError, refreshOthers });
  await registry.start(log.notifications);
  onTestFinished(() => registry.close());
  const { keys } = await createWorkspace(installation.deps, { name: 'bank', environment: 'production' });
  await registry.refresh();
  const response = await fetch(`http://127.0.0.1:${port}/api/v5/analytics/app/login`, {
    method: 'POST',
    headers: { authorization: `Bearer ${keys[0]!.text}`, 'content-type': 'application/json' },
    body: JSON.stringify(login),
  });
  expect(response.status).toBe(200);
  const [counts = []] = await threads.ask('counts');
  const { values } = counts.find(({ name }) => name === 'ringfence_requests_total')!;
  expect(values.filter(({ value }) => value > 0)).toEqual([{ labels: { route: 'login', status: '200' }, value: 1 }]);
  expect(await threads.ask('storesEvents')).toEqual([{ home: { well: true } }]);
});

it('use a renewed certificate for new connections', async () => {
  const threads = start(undefined, first);
  const port = await threads.listen(loopback);
  const shown = async (): Promise<unknown> => {
    const socket = connect({ ...loopback, port, rejectUnauthorized: false });
    await once(socket, 'secureConnect');
    const { subject } = socket.getPeerCertificate();
    socket.destroy();
    return subject.CN;
  };
  expect(await shown()).toBe('first.bank.example');
  threads.setSecureContext(second);
  await expect.poll(shown).toBe('second.bank.example');
});

it('say by its code why an address cannot be bound', async () => {
  const other = createServer().listen(0, '127.0.0.1');
  await once(other, 'listening');
  const { port } = other.address() as AddressInfo;
  await expect(start().listen({ ...loopback, port })).rejects.toMatchObject({ code: 'EADDRINUSE' });
  other.close();
});

it('say what the operator can mend', async () => {
  mkdirSync(join(home, 'intel'));
  writeFileSync(manifestPath(home), 'no JSON');
  await expect(start().listen(loopback)).rejects.toMatchObject({
    name: 'OperatorError',
    mend: expect.stringContaining('ringfence intel update'),
  });
  expect(onCrash).not.toHaveBeenCalled();
});

it('crash the process when one ends unasked: at the start, and later', async () => {
  const early = start([new Worker('process.exit(3)', { eval: true })]);
  await expect(early.listen(loopback)).rejects.toThrow('a thread that takes events ended with code 3');
  expect(onCrash).not.toHaveBeenCalled();

  const [worker] = loadIngestThreads(1);
  await start([worker!]).listen(loopback);
  await worker!.terminate();
  expect(onCrash.mock.calls.flat()).toMatchObject([{ message: 'a thread that takes events ended with code 1' }]);
});
