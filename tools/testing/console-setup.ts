import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const program = fileURLToPath(new URL('../build-console.ts', import.meta.url));

/**
 * Builds the console if its sources have changed since the last build: once, before several tests need it concurrently.
 */
export function setup(): void {
  execFileSync(process.execPath, [program], { stdio: 'inherit' });
}
