/**
 * Runs the benchmarks that need no database with very few events: they must print figures, which are not checked.
 * Growth takes too long.
 */
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const program = fileURLToPath(new URL('../main.ts', import.meta.url));

it.each([
  'engine --events 2000 --again 2000',
  'engine --forty --events 2000 --again 0',
  'rules --events 1000 --rounds 1',
  'intel --rounds 1 --tokens 50 --addresses 500 --devices 50 --logins 50 --visits 50',
  'hostile --each 1 --events 5 --crowd 200',
  'others --rules 4 --rounds 1 --ms 10',
])('%s', { timeout: 120_000 }, (command) => {
  // Without the handbook, rows are generated.
  const env = { ...process.env, RINGFENCE_HANDBOOK: '/nowhere' };
  const { status, stdout, stderr } = spawnSync(process.execPath, [program, ...command.split(' ')], {
    env,
    encoding: 'utf8',
  });
  expect(stderr).toBe('');
  expect([0, 1]).toContain(status);
  expect(stdout).toMatch(/^(met|MISSED) /m);
});
