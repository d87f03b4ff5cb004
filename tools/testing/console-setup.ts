import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const program = fileURLToPath(new URL('../build-console.ts', import.meta.url));

/** Builds the console, unless it was built since its sources changed: once, before several tests ask for it at a time. */
export function setup(): void {
  execFileSync(process.execPath, [program], { stdio: 'inherit' });
}
