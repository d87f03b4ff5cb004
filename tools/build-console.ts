/**
 * Builds the console if it is not built, or if its sources are newer than the build. `npm start` and `npm run demo` run
 * this first. If the build is current, it checks some hundred files in a few milliseconds. See
 * docs/internals/console-queries.md.
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
        // Tests set another NODE_ENV: pages would be built for development, with their source paths.
        env: { ...process.env, NODE_ENV: 'production' },
      },
    );
    // The service does not need the console: its page says how to build it.
    if (status !== 0) process.stderr.write('The console could not be built. The service starts without it.\n');
  } else {
    process.stderr.write('The console is not built, and its tools are not installed (npm ci without --omit=dev).\n');
  }
}
