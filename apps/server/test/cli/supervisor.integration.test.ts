/** The receiver is a real datagram socket, and the sender the program of systemd, where this system has one. */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { Supervisor } from '../../src/cli/supervisor.ts';

const unit = `${import.meta.dirname}/../../../../deploy/systemd/ringfence.service`;
/** Node.js has no Unix datagram sockets. Each message that arrives is printed as a line. */
const receiver = `
import socket, sys
s = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
s.bind(sys.argv[1])
print("bound", flush=True)
while True:
    print(s.recv(4096).decode().replace(chr(10), " "), flush=True)
`;

let folder: string;
let warned: string[];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'ringfence-systemd-'));
  warned = [];
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function supervisorWith(environment: Readonly<Record<string, string>>): Supervisor {
  const logger = { warn: (_: unknown, message?: string) => void warned.push(String(message)) };
  return new Supervisor({ PATH: process.env['PATH']!, ...environment }, logger as never);
}

/** The messages that systemd would have received; the program's own barriers left out. */
async function listen(): Promise<{ readonly path: string; readonly messages: () => readonly string[] }> {
  const path = join(folder, 'notify');
  const child = spawn('python3', ['-c', receiver, path], { stdio: ['ignore', 'pipe', 'inherit'] });
  onTestFinished(() => void child.kill());
  let text = '';
  child.stdout.on('data', (chunk: Buffer) => (text += chunk.toString()));
  await once(child.stdout, 'data');
  const lines = (): string[] => text.trim().split('\n').slice(1);
  return { path, messages: () => lines().filter((line) => !line.startsWith('BARRIER')) };
}

function has(program: string, argument: string): boolean {
  try {
    execFileSync(program, [argument], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

describe.runIf(has('systemd-notify', '--version') && has('python3', '--version'))('systemd', () => {
  it('hears that the service is ready, alive and stopping, and nothing while it is not alive', async () => {
    const { path, messages } = await listen();
    const watchdog = { WATCHDOG_USEC: '2000000', WATCHDOG_PID: String(process.pid) };
    const supervisor = supervisorWith({ NOTIFY_SOCKET: path, ...watchdog });
    await supervisor.tell('READY=1');
    const alive = [false, true];
    let looks = 0;
    supervisor.watch(async () => alive[looks++] ?? false);
    onTestFinished(() => supervisor.stopping());
    await expect.poll(() => looks, { timeout: 10_000 }).toBeGreaterThan(2);
    await supervisor.stopping();
    await expect.poll(messages).toEqual(['READY=1', 'WATCHDOG=1', 'STOPPING=1']);
    expect(warned).toEqual([]);
  });

  it('hears nothing from a service that it did not ask, and no sign of life for another process', async () => {
    const { path, messages } = await listen();
    await supervisorWith({}).tell('READY=1');
    let looks = 0;
    const other = supervisorWith({ NOTIFY_SOCKET: path, WATCHDOG_USEC: '2000000', WATCHDOG_PID: '1' });
    other.watch(async () => {
      looks += 1;
      return true;
    });
    await other.tell('STOPPING=1');
    await expect.poll(messages).toEqual(['STOPPING=1']);
    expect(looks).toBe(0);
  });

  it('that is gone is a warning, and the service goes on', async () => {
    await supervisorWith({ NOTIFY_SOCKET: join(folder, 'nobody') }).tell('READY=1');
    expect(warned).toEqual(['systemd could not be notified']);
  });
});

it('says once what is missing without the program', async () => {
  const supervisor = supervisorWith({ PATH: folder, NOTIFY_SOCKET: '/run/systemd/notify' });
  await supervisor.tell('READY=1');
  await supervisor.tell('STOPPING=1');
  expect(warned).toEqual([
    'systemd waits for notifications, but the program systemd-notify cannot be run: install it, or use Type=exec without WatchdogSec',
  ]);
});

describe('the unit', () => {
  it.each([
    'Type=notify',
    'NotifyAccess=all',
    'WatchdogSec=60',
    'LimitCORE=0',
    'LimitNOFILE=65536',
    'NoNewPrivileges=yes',
    'ProtectSystem=strict',
    'StateDirectory=ringfence',
    'KillMode=mixed',
  ])('has %s', (line) => {
    expect(readFileSync(unit, 'utf8').split('\n')).toContain(line);
  });

  it.runIf(has('systemd-analyze', '--version'))('is one that systemd can read', () => {
    const path = join(folder, 'ringfence.service');
    // Programs and users of this machine.
    const text = readFileSync(unit, 'utf8').replace(/^ExecStart=\S+/mu, 'ExecStart=/bin/true');
    writeFileSync(path, text.replace(/^User=.*\n/mu, '').replaceAll(/^(Wants|After)=.*\n/gmu, ''));
    expect(existsSync(path)).toBe(true);
    expect(execFileSync('systemd-analyze', ['verify', '--man=no', path], { encoding: 'utf8', stdio: 'pipe' })).toBe('');
  });
});
