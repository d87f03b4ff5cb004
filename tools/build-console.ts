/**
 * Builds the console when it is not built, or when its sources are newer than what was built: `npm start` and
 * `npm run demo` begin with this. When nothing is to do it looks at some hundred files and is done in a few
 * milliseconds. See docs/internals/console-queries.md.
 *
 *     node tools/build-console.ts
 */
import { spawnSync } from 'node:child_process';
import { globSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const built = `${root}/apps/console/dist/index.html`;
const sources = [
  'apps/console/{src,index.html,*.json,*.ts}',
  'packages/{policy,contract}/{src,package.json}',
  'package-lock.json',
];

function newestMs(patterns: readonly string[]): number {
  const files = patterns.flatMap((pattern) => globSync([pattern, `${pattern}/**/*`], { cwd: root }));
  return Math.max(...files.map((file) => statSync(`${root}/${file}`).mtimeMs));
}

function isBuilt(): boolean {
  const found = statSync(built, { throwIfNoEntry: false });
  return found !== undefined && found.mtimeMs >= newestMs(sources);
}

function hasVite(): boolean {
  try {
    createRequire(`${root}/apps/console/package.json`).resolve('vite');
    return true;
  } catch {
    return false;
  }
}

if (!isBuilt()) {
  if (hasVite()) {
    process.stdout.write('Building the console ...\n');
    const { status } = spawnSync(
      'npm',
      ['run', '-s', 'build', '-w', '@ringfence/console', '--', '--logLevel', 'warn'],
      {
        cwd: root,
        stdio: 'inherit',
        // Whoever tests has another: pages would be built for development, with the places of their sources in them.
        env: { ...process.env, NODE_ENV: 'production' },
      },
    );
    // The service itself needs no console: it says on its page how to build it.
    if (status !== 0) process.stderr.write('The console could not be built. The service starts without it.\n');
  } else {
    process.stderr.write('The console is not built, and its tools are not installed (npm ci without --omit=dev).\n');
  }
}
