import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const program = fileURLToPath(new URL('../../tools/build-console.ts', import.meta.url));

/** Builds the console, unless it was built since its sources changed. */
export function buildConsole(): void {
  execFileSync(process.execPath, [program], { stdio: 'inherit' });
}
