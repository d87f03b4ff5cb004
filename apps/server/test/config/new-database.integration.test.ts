import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { loadConfiguration } from '../../src/config/load-configuration.ts';
import { refuseUnaskedDatabase } from '../../src/config/new-database.ts';
import { ringfence } from '../support/terminal.ts';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'ringfence-new-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function write(deliver: 'live' | 'observe', member = ''): void {
  const webhook = `webhook: { url: 'https://bank.example/hook', deliver: ${deliver} }`;
  const workspaces = `workspaces:\n  - { name: acme, environment: production, ${webhook} }\n`;
  writeFileSync(join(folder, 'ringfence.yaml'), `${member}\n${workspaces}`);
}

const refusal = (): string =>
  `There is no database under ${join(folder, '.ringfence')} yet, and acme/production has deliver: live.`;

it('serve creates no embedded database, and no key, for a live workspace that nothing asks for', async () => {
  write('live');
  const environment = { PORT: '0', MANAGEMENT_PORT: '0' };
  const { code, err } = await ringfence('serve --config ringfence.yaml', { folder, environment });
  expect(code).toBe(1);
  expect(err).toContain(
    `${refusal()}\nSet DATABASE_URL, or the home of the existing installation. For a new, empty database write "database: embedded" in the file.`,
  );
  expect(existsSync(join(folder, '.ringfence'))).toBe(false);
});

it.each([
  { why: 'asked for in the file', deliver: 'live', member: 'database: embedded' },
  { why: 'not needed, because DATABASE_URL is set', deliver: 'live', url: 'postgresql://db/x' },
  { why: 'for workspaces that only observe', deliver: 'observe' },
] as const)('a new database is accepted if it is $why', async ({ deliver, ...given }) => {
  write(deliver, 'member' in given ? given.member : '');
  const environment = 'url' in given ? { DATABASE_URL: given.url } : {};
  const configuration = loadConfiguration({ config: 'ringfence.yaml' }, environment, folder);
  await expect(refuseUnaskedDatabase(configuration)).resolves.toBeUndefined();
});
