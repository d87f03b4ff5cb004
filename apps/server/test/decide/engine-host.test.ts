/** What the main thread makes of the end of the deciding thread. */
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { expect, it } from 'vitest';
import { EngineHost } from '../../src/decide/engine-host.ts';

/** A thread that is told to begin, and begins nothing. */
const idleThread = `require('node:worker_threads').parentPort.on('message', () => {})`;

function open(code: string): { readonly host: EngineHost; readonly thread: Worker; readonly crashes: string[] } {
  const thread = new Worker(code, { eval: true });
  const crashes: string[] = [];
  const host = new EngineHost({
    thread,
    database: {},
    master: { home: '', fromEnvironment: undefined },
    process: 'test',
    residentBytesMax: 0,
    logger: { info: () => {}, warn: () => {}, error: () => {} },
    metrics: { decided: () => {}, left: () => {}, removed: () => {}, engineDelay: () => {} },
    onDecided: () => {},
    onActionsDue: () => {},
    onCrash: ({ message }) => crashes.push(message),
  });
  return { host, thread, crashes };
}

it('is no crash that was cut, also when its own stop has not begun', async () => {
  const { host, thread, crashes } = open(idleThread);
  await once(thread, 'online');
  const ended = once(thread, 'exit');
  host.cut();
  await ended;
  await host.stop();
  expect(crashes).toEqual([]);
});

it('is one when nobody asked for it', async () => {
  const { thread, crashes } = open(`process.exit(3)`);
  await once(thread, 'exit');
  expect(crashes).toEqual(['the engine host ended with code 3']);
});
