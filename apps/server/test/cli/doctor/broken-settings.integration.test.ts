/** What doctor says about a broken machine, file or environment: the sentence, and what mends it. */
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { checkHome, checkOpenFiles, judgeDisk } from '../../../src/cli/doctor/check-machine.ts';
import { type Finding } from '../../../src/cli/doctor/finding.ts';
import { testAuthority } from '../../deliver/support/certificates.ts';
import { ringfence } from '../../support/terminal.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'ringfence-settings-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

interface Broken {
  readonly name: string;
  /** `ringfence.yaml`. */
  readonly file?: string;
  readonly files?: Readonly<Record<string, { readonly text: string; readonly mode?: number }>>;
  readonly environment?: Readonly<Record<string, string>>;
  readonly says: Finding;
}

const authority = testAuthority('a test of doctor');
const [expired, right, other] = [
  authority.issue('bank.example', -1),
  authority.issue('bank.example', 90),
  authority.issue('bank.example', 3),
];
const tls = 'listen: { tls: { certFile: cert.pem, keyFile: key.pem } }';
const pair = ({ cert, key }: typeof right): NonNullable<Broken['files']> => ({
  'cert.pem': { text: cert },
  'key.pem': { text: key, mode: 0o600 },
});
const text = (words: string): string => expect.stringContaining(words);

/** A database that answers at once that it is not there: what is checked before it is the same. */
const nowhere = 'postgresql://127.0.0.1:1/ringfence';

async function findings({ file, files = {}, environment = {} }: Partial<Broken>): Promise<readonly Finding[]> {
  for (const [name, { text: content, mode }] of Object.entries(files))
    writeFileSync(join(folder, name), content, { mode: mode ?? 0o644 });
  if (file !== undefined) writeFileSync(join(folder, 'ringfence.yaml'), file);
  const base = { DATABASE_URL: nowhere, RINGFENCE_HOME: folder, PORT: '1', MANAGEMENT_PORT: '2' };
  const line = `doctor --json${file === undefined ? '' : ' --config ringfence.yaml'}`;
  const { out } = await ringfence(line, { environment: { ...base, ...environment }, folder });
  return JSON.parse(out) as Finding[];
}

it('a whole machine and file have nothing of these', async () => {
  const found = await findings({
    file: `${tls}\nmanagement: { trustedProxies: [10.0.0.1] }\nconsole: { origin: https://ringfence.bank.example }`,
    files: pair(right),
  });
  const complaints = found.filter(({ state, detail }) => state !== 'good' && !detail.startsWith('nothing answers'));
  expect(complaints.map(({ what }) => what)).toEqual(['database']);
});

it.each<Broken>([
  {
    name: 'a file with a misspelt name',
    file: 'lisen: { port: 8080 }',
    says: { what: 'configuration', state: 'bad', detail: text('listen'), mend: 'Fix these mistakes.' },
  },
  {
    name: 'a file that is not YAML',
    file: 'listen: { port: 8080',
    says: { what: 'configuration', state: 'bad', detail: text('ringfence.yaml:'), mend: 'Fix these mistakes.' },
  },
  {
    name: 'an unknown variable of ours',
    environment: { RINGFENCE_MASTER_KY: 'x' },
    says: { what: 'configuration', state: 'bad', detail: text('RINGFENCE_MASTER_KEY'), mend: 'Fix these mistakes.' },
  },
  {
    name: 'a misspelt DATABASE_URL',
    environment: { DATABASE_URL: '', DATABSE_URL: nowhere },
    says: { what: 'configuration', state: 'bad', detail: text('DATABASE_URL'), mend: 'Fix these mistakes.' },
  },
  {
    name: 'an external database without DATABASE_URL',
    file: 'database: external',
    environment: { DATABASE_URL: '' },
    says: { what: 'configuration', state: 'bad', detail: text('DATABASE_URL'), mend: 'Fix these mistakes.' },
  },
  {
    name: 'a port that is none',
    environment: { PORT: 'many' },
    says: {
      what: 'configuration',
      state: 'bad',
      detail: text('PORT: expected a whole number from 0 to 65535, found "many"'),
      mend: 'Fix these mistakes.',
    },
  },
  {
    name: 'a home without a database',
    environment: { DATABASE_URL: '' },
    says: {
      what: 'database',
      state: 'bad',
      detail: text('There is no database under '),
      mend: text('start the service, which creates the database: ringfence serve'),
    },
  },
  {
    name: 'a home that is not there',
    environment: { DATABASE_URL: '', RINGFENCE_HOME: '/nowhere/at/all' },
    says: {
      what: 'home',
      state: 'bad',
      detail: 'There is no installation under /nowhere/at/all.',
      mend: 'Name another folder with --config or --home, or create an installation with: ringfence serve',
    },
  },
  {
    name: 'a certificate that has expired',
    file: tls,
    files: pair(expired),
    says: {
      what: 'certificate of listen',
      state: 'bad',
      detail: text('it expired at '),
      mend: 'Renew it: the service reads the new files within half a minute, without a restart.',
    },
  },
  {
    name: 'a certificate that expires within a fortnight',
    file: tls,
    files: pair(other),
    says: {
      what: 'certificate of listen',
      state: 'unwise',
      detail: text('it expires at '),
      mend: 'Renew it: the service reads the new files within half a minute, without a restart.',
    },
  },
  {
    name: 'the key of another certificate',
    file: tls,
    files: pair({ cert: right.cert, key: other.key }),
    says: { what: 'configuration', state: 'bad', detail: text('keyFile'), mend: 'Fix these mistakes.' },
  },
  {
    name: 'a certificate that is not there',
    file: tls,
    says: { what: 'configuration', state: 'bad', detail: text('certFile'), mend: 'Fix these mistakes.' },
  },
  {
    name: 'a proxy that is everyone',
    file: 'listen: { trustedProxies: [0.0.0.0/0] }',
    says: {
      what: 'proxies',
      state: 'bad',
      detail: 'listen.trustedProxies has every address: each sender says where it is, and no limit of an address holds',
      mend: 'List only the addresses of your proxies.',
    },
  },
  {
    name: 'a proxy before the console that is not listed',
    file: 'console: { origin: https://ringfence.bank.example }',
    says: {
      what: 'proxies',
      state: 'unwise',
      detail:
        'https://ringfence.bank.example is served by a proxy that management.trustedProxies does not list: all people count as one address',
      mend: 'List the address of the proxy, so that one wrong password does not slow all down.',
    },
  },
  {
    name: 'an admin token that is too short',
    environment: { RINGFENCE_ADMIN_TOKEN: 'short' },
    says: {
      what: 'admin token',
      state: 'bad',
      detail: text('RINGFENCE_ADMIN_TOKEN is not a usable admin token'),
      mend: 'Create one with: openssl rand -base64 32',
    },
  },
])('$name', async ({ says, ...broken }) => {
  expect(await findings(broken)).toContainEqual(says);
});

it('a port that another program has', async () => {
  const taken = createServer((socket) => socket.destroy()).listen({ host: '127.0.0.1', port: 0 });
  onTestFinished(() => void taken.close());
  await once(taken, 'listening');
  const { port } = taken.address() as AddressInfo;
  expect(await findings({ environment: { PORT: String(port) } })).toContainEqual({
    what: 'service',
    state: 'bad',
    detail: `listen: another program already listens on 127.0.0.1:${port}.`,
    mend: expect.any(String),
  });
});

describe('the machine', () => {
  const mebibyte = 1_024 * 1_024;
  const mendDisk = 'Free some space, or move home to a larger disk: events are refused when the disk is full.';

  it.each([
    [200, 'bad'],
    [1_500, 'unwise'],
    [50_000, 'good'],
  ])('has %d MiB of 100,000 free', (free, state) => {
    const space = { folder: '/data', freeBytes: free * mebibyte, sizeBytes: 100_000 * mebibyte };
    expect(judgeDisk(space)).toEqual({
      what: 'disk',
      state,
      detail: `${free} MiB free of 100000 under /data`,
      ...(state === 'good' ? {} : { mend: mendDisk }),
    });
  });

  it('has a home that this user cannot write to', () => {
    expect(checkHome({ home: folder }, () => false)).toEqual([
      {
        what: 'home',
        state: 'bad',
        detail: `this user cannot write to ${folder}`,
        mend: 'Run doctor as the user of the service. If it is that user: give it the folder (chown), and make the disk writable.',
      },
    ]);
    expect(checkHome({ home: folder })).toEqual([]);
    expect(checkHome({ home: '/nowhere/at/all' }, () => false)).toEqual([]);
  });

  it('allows few open files', () => {
    expect(checkOpenFiles(1_024)).toEqual([
      {
        what: 'open files',
        state: 'unwise',
        detail: 'a service with the limit of this shell, 1024, takes 320 connections',
        mend: 'Raise it: LimitNOFILE=65536 in the unit, or ulimit -n 65536.',
      },
    ]);
    expect([checkOpenFiles(4_096), checkOpenFiles(undefined)]).toEqual([[], []]);
  });
});
