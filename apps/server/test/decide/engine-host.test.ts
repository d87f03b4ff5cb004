/** How the main thread handles the end of the deciding thread. */
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { expect, it } from 'vitest';
import { EngineHost } from '../../src/decide/engine-host.ts';

/** A thread that ignores every message. */
const idleThread = `require('node:worker_threads').parentPort.on('message', () => {})`;

function open(code: string): { readonly host: EngineHost; readonly thread: Worker; readonly crashes: string[] } {
  const thread = new Worker(code, { eval: true });
  const crashes: string[] = [];
  const host = new EngineHost({
    thread,
    ingest: [],
    database: {},
    master: { home: '', fromEnvironment: undefined },
    process: 'test',
    residentBytesMax: 0,
    weights: { production: 8, development: 1 },
    retains: true,
    logger: { info: () => {}, warn: () => {}, error: () => {} },
    metrics: { decided: () => {}, left: () => {}, removed: () => {}, engineDelay: () => {} },
    onActionsDue: () => {},
    onCrash: ({ message }) => crashes.push(message),
  });
  return { host, thread, crashes };
}

it('a thread that was cut has not crashed, even when its stop had not begun', async () => {
  const { host, thread, crashes } = open(idleThread);
  await once(thread, 'online');
  const ended = once(thread, 'exit');
  host.cut();
  await ended;
  await host.stop();
  expect(crashes).toEqual([]);
});

it('a thread that ends unasked has crashed', async () => {
  const { thread, crashes } = open(`process.exit(3)`);
  await once(thread, 'exit');
  expect(crashes).toEqual(['the engine host ended with code 3']);
});
