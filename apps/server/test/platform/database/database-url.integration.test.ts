import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { expect, it, onTestFinished } from 'vitest';
import { readDatabaseUrl } from '../../../src/platform/database/database-url.ts';
import { testAuthority } from '../../deliver/support/certificates.ts';

it('reads the files that a URL names only once, at the start', () => {
  const folder = mkdtempSync(join(tmpdir(), 'ringfence-url-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const { ca } = testAuthority('ours');
  writeFileSync(join(folder, 'ca.pem'), ca);
  const files = `sslmode=verify-full&sslrootcert=${join(folder, 'ca.pem')}`;
  const { connection, where } = readDatabaseUrl(
    `postgresql://bank:b%40nk@db.bank.example:6432/fraud?options=-c%20geqo%3Doff&${files}&application_name=x`,
  );
  expect(where).toBe('db.bank.example/fraud');
  rmSync(folder, { recursive: true });

  const client = new Client(structuredClone(connection)) as unknown as {
    readonly password: string;
    readonly connectionParameters: object;
  };
  expect(client.connectionParameters).toMatchObject({
    host: 'db.bank.example',
    port: 6432,
    database: 'fraud',
    options: '-c geqo=off',
    application_name: 'x',
    ssl: { ca },
  });
  expect(client.password).toBe('b@nk');
});

it.each([
  'postgresql://bank@db.bank.example/fraud',
  'postgresql://bank@db.bank.example/fraud?sslmode=verify-full',
  'postgresql://bank@/fraud?host=/run/postgresql',
])('does not change %s', (url) => {
  expect(readDatabaseUrl(url).connection).toEqual({ connectionString: url });
});
