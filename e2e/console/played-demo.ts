/**
 * The demo, played once for all tests of the console. It plays beside the tests that need no demo, and each of the others
 * starts a service on a copy of its files.
 *
 *     playing -> played | failed     (names in one folder)
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { TestProject } from 'vitest/node';
import { eventually } from '../harness/eventually.ts';
import { temporaryHome } from '../harness/temporary-home.ts';

declare module 'vitest' {
  interface ProvidedContext {
    readonly demoHome: string;
  }
}

const program = resolve(import.meta.dirname, '../../apps/demo-bank/src/main.ts');
/** The demo starts, plays its stories for a minute, and stops: some minutes on a busy machine. */
const playMsMax = 600_000;
const shownLines = 40;

/** A global setup of vitest. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const home = await temporaryHome('played-demo');
  project.provide('demoHome', home.path);
  const args = [program, '--exit', '--folder', join(home.path, 'playing')];
  const demo = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  let said = '';
  for (const stream of [demo.stdout, demo.stderr]) stream.on('data', (text: Buffer) => (said += text.toString()));
  const ended = once(demo, 'close').then(([code]) => {
    if (code === 0) renameSync(join(home.path, 'playing'), join(home.path, 'played'));
    else writeFileSync(join(home.path, 'failed'), said);
  });
  return async () => {
    demo.kill('SIGTERM');
    await ended;
    await home.remove();
  };
}

/**
 * Waits until the demo was played.
 *
 * @returns the folder of its configuration file
 * @throws Error with its output if it failed
 */
export async function playedDemo(home: string): Promise<string> {
  const end = await eventually('the demo was played', playMsMax, () =>
    ['played', 'failed'].map((name) => join(home, name)).find((path) => existsSync(path)),
  );
  if (end.endsWith('failed')) throw new Error(`the demo failed:\n${whatWasWrong(readFileSync(end, 'utf8'))}`);
  return end;
}

/** What was wrong comes first, because a report of a test may show only a part; then the last lines. */
function whatWasWrong(text: string): string {
  const lines = text.trimEnd().split('\n');
  return [...lines.filter((line) => line.startsWith('WRONG')), '', ...lines.slice(-shownLines)].join('\n');
}
