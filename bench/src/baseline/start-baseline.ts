import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';

export interface Baseline {
  readonly port: number;
  stop(): void;
}

const program = fileURLToPath(new URL('bare-fastify.ts', import.meta.url));

/** Starts the bare handler in its own process; resolves when it listens. */
export function startBaseline(): Promise<Baseline> {
  return new Promise((resolve, reject) => {
    const child = fork(program, { execArgv: [] });
    child.once('error', reject);
    child.once('exit', (code) => reject(new Error(`the baseline ended with code ${code}`)));
    child.once('message', ({ port }: { readonly port: number }) => resolve({ port, stop: () => child.kill() }));
  });
}
