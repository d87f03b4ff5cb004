/**
 * Goal: a process that runs out of files refuses connections and events, and neither ends nor loses what it answered.
 * Method: a service with 1,024 open files takes more connections than fit; then the kernel takes away all that it has
 * left, in the running process, and gives them back.
 */
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { crashPolicy } from '../harness/bank.ts';
import { login } from '../harness/event-bodies.ts';
import { eventually } from '../harness/eventually.ts';
import { nodeWithFiles } from '../harness/node-with-files.ts';
import { openScene, type Scene } from '../harness/scene.ts';
import { temporaryHome } from '../harness/temporary-home.ts';

const openFiles = 1_024;
/** What that limit leaves for connections that send events. */
const connectionsMax = 320;

interface Opened {
  readonly socket: Socket;
  text(): string;
}

async function sceneWithFewFiles(): Promise<{
  readonly scene: Scene;
  readonly open: () => Promise<Opened>;
  readonly closeAll: () => void;
}> {
  const outside = await temporaryHome('open-files');
  const node = await nodeWithFiles(outside.path, openFiles);
  const scene = await openScene({ policy: crashPolicy, node });
  const sockets: Socket[] = [];
  const closeAll = (): void => {
    for (const socket of sockets.splice(0)) socket.destroy();
  };
  onTestFinished(async () => {
    closeAll();
    await scene.close();
    await outside.remove();
  });
  const open = async (): Promise<Opened> => {
    const socket = connect({ port: Number(new URL(scene.service.url).port), host: '127.0.0.1' });
    sockets.push(socket);
    let text = '';
    socket.on('data', (chunk: Buffer) => (text += chunk.toString()));
    socket.on('error', () => {});
    await once(socket, 'connect');
    return { socket, text: () => text };
  };
  return { scene, open, closeAll };
}

async function metric(scene: Scene, name: string): Promise<number> {
  const text = await (await fetch(`${scene.service.managementUrl}/metrics`)).text();
  return Number(new RegExp(`^${name} (\\d+)$`, 'm').exec(text)?.[1]);
}

async function takesEvents(scene: Scene, session: string): Promise<true | undefined> {
  const { status } = await scene.tell('login', login({ client: 'c', session }));
  return status === 200 ? true : undefined;
}

it.runIf(process.platform === 'linux')(
  'without files left, connections get 503, and events go on after it',
  async () => {
    const { scene, open, closeAll } = await sceneWithFewFiles();
    const { pid } = scene.service;
    for (let i = 0; i < connectionsMax; i++) await open();
    const further = await open();
    await eventually('the answer', 5_000, () => (further.text() === '' ? undefined : true));
    expect(further.text()).toMatch(/^HTTP\/1\.1 503 Service Unavailable\r\n.*"code":"log\.unavailable"/s);
    expect(further.text()).toContain('retry-after: 1');
    expect(await metric(scene, 'ringfence_connections_refused_total')).toBe(1);
    const files = await metric(scene, 'process_open_fds');
    expect(files).toBeGreaterThan(connectionsMax);
    expect(files).toBeLessThan(openFiles);
    await eventually('the log says it', 5_000, () =>
      scene.service.output().includes('too many connections in all') ? true : undefined,
    );

    closeAll();
    await eventually('an event is taken again', 10_000, () => takesEvents(scene, 'before'));

    const now = readdirSync(`/proc/${pid}/fd`).length;
    execFileSync('prlimit', [`--pid=${pid}`, `--nofile=${now}:${openFiles}`]);
    for (let i = 0; i < 50; i++) await open().catch(() => undefined);
    execFileSync('prlimit', [`--pid=${pid}`, `--nofile=${openFiles}:${openFiles}`]);
    closeAll();
    await eventually('an event is taken after all', 10_000, () => takesEvents(scene, 'after'));
    expect(process.kill(pid, 0)).toBe(true);
    expect(scene.service.output()).not.toContain('uncaught');
  },
);
