/** `npm run demo -- --exit`, as a person runs it. */
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { expect, it } from 'vitest';
import { stories } from '../src/stories/all.ts';

const main = resolve(import.meta.dirname, '../src/main.ts');
const timeoutMs = 600_000;

function demo(folder: string, ...args: string[]): Promise<{ readonly code: number; readonly said: string }> {
  return new Promise((resolve) => {
    const env = { ...process.env, TMPDIR: folder };
    const child = execFile(process.execPath, [main, ...args], { env }, (_error, stdout, stderr) =>
      resolve({ code: child.exitCode ?? -1, said: stdout + stderr }),
    );
  });
}

it(
  'plays every story, gets every action once and no other, and leaves nothing behind',
  { timeout: timeoutMs },
  async () => {
    const folder = mkdtempSync(join(tmpdir(), 'ringfence-demo-test-'));
    // Accessible to the unprivileged user that runs the database if started by root.
    chmodSync(folder, 0o711);
    try {
      const { code, said } = await demo(folder, '--exit', '--seed', '3');
      expect(said).toContain('Every expected action arrived as often as expected, and no other.');
      for (const { name } of stories) expect(said).toMatch(new RegExp(`^ok +${name}`, 'm'));
      expect(code).toBe(0);
      expect(readdirSync(folder)).toEqual([]);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  },
);

it('leaves no process or file behind when killed', { timeout: timeoutMs }, async () => {
  const folder = mkdtempSync(join(tmpdir(), 'ringfence-demo-test-'));
  chmodSync(folder, 0o711);
  try {
    const env = { ...process.env, TMPDIR: folder };
    const child = spawn(process.execPath, [main], { env, stdio: ['ignore', 'pipe', 'ignore'] });
    let said = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => void (said += text));
    await expect.poll(() => said).toContain('Ready after');
    child.kill('SIGKILL');
    // The service removes it last, after its database has stopped.
    await expect.poll(() => readdirSync(folder)).toEqual([]);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

it('shuts down cleanly when its output is closed', { timeout: timeoutMs }, async () => {
  const folder = mkdtempSync(join(tmpdir(), 'ringfence-demo-test-'));
  chmodSync(folder, 0o711);
  try {
    const env = { ...process.env, TMPDIR: folder };
    const child = spawn(process.execPath, [main], { env, stdio: ['ignore', 'pipe', 'ignore'] });
    const exited = once(child, 'exit');
    await once(child.stdout, 'data');
    child.stdout.destroy();
    expect(await exited).toEqual([130, null]);
    expect(readdirSync(folder)).toEqual([]);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
