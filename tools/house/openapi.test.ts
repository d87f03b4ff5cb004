/** Both OpenAPI documents pass Redocly's linter, without an error and without a warning. */
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { root } from './source-file.ts';

const program = `${root}/node_modules/@redocly/cli/bin/cli.js`;
/** It would report its use, and look for a newer version. */
const quiet = { REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' };

/** The findings for one document, errors and warnings alike. */
async function findings(path: string): Promise<readonly string[]> {
  const settings = ['--config', `${root}/redocly.yaml`, '--format', 'json'];
  const { stdout } = await promisify(execFile)(process.execPath, [program, 'lint', path, ...settings], {
    cwd: root,
    env: { ...process.env, ...quiet },
    maxBuffer: 64 * 1024 * 1024,
  }).catch((error: unknown) => {
    // It ends with 1 when it found something.
    if (error instanceof Error && 'stdout' in error && error.stdout !== '') return { stdout: String(error.stdout) };
    throw error;
  });
  const { problems } = JSON.parse(stdout) as {
    readonly problems: readonly { readonly ruleId: string; readonly message: string }[];
  };
  return problems.map(({ ruleId, message }) => `${ruleId}: ${message}`);
}

it.each(['openapi.json', 'openapi-management.json'])('docs/reference/%s has no findings', async (name) => {
  expect(await findings(`docs/reference/${name}`)).toEqual([]);
});

it('finds a violation', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'ringfence-openapi-'));
  const text = await readFile(`${root}/docs/reference/openapi.json`, 'utf8');
  await writeFile(
    join(folder, 'openapi.json'),
    text.replace('#/components/schemas/LoginEvent', '#/components/schemas/None'),
  );
  expect(await findings(join(folder, 'openapi.json'))).not.toEqual([]);
  await rm(folder, { recursive: true });
});
