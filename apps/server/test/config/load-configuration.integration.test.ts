import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { generateKeyPairSync } from 'node:crypto';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseIpNetwork } from '@ringfence/contract';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Configuration } from '../../src/config/configuration.ts';
import type { ConfigurationOptions } from '../../src/config/environment.ts';
import { loadConfiguration } from '../../src/config/load-configuration.ts';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'ringfence-config-'));
  mkdirSync(join(folder, 'etc'));
  const { publicKey } = generateKeyPairSync('rsa', { modulusLength: 2_048 });
  writeFileSync(join(folder, 'etc', 'acme-rsa.pem'), publicKey.export({ type: 'spki', format: 'pem' }));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function load(
  text: string,
  environment: Record<string, string> = {},
  options: ConfigurationOptions = {},
): Configuration {
  writeFileSync(join(folder, 'etc', 'ringfence.yaml'), text);
  return loadConfiguration({ config: 'etc/ringfence.yaml', ...options }, environment, folder);
}

/** The documented example, except the policy. */
const documented = `
listen: { host: 127.0.0.1, port: 8080 }       # the wire contract and health
management: { host: 127.0.0.1, port: 8081 }
home: ./.ringfence
allowPrivateWebhooks: [127.0.0.0/8]
workspaces:
  - name: acme
    environment: production
    licenseKeys: [\${ACME_LICENSE_KEY}]        # first = sent with webhooks
    webhook: { url: https://bank.internal/smartid/webhook, deliver: live, publicKeyFile: acme-rsa.pem }
    channels: [{ id: 1, name: Mobile app }, { id: 2, name: Web }]
    timezone: America/Mexico_City
`;
const key = '00112233445566778899001122334455';

describe('no configuration at all', () => {
  it('means a service that only this machine can reach, with its home in the working folder', () => {
    expect(loadConfiguration({}, {}, folder)).toMatchObject({
      file: undefined,
      listen: { host: '127.0.0.1', port: 8_080, tls: undefined },
      management: { host: '127.0.0.1', port: 8_081, tls: undefined },
      home: join(folder, '.ringfence'),
      databaseUrl: undefined,
      logLevel: 'info',
      stopDelaySeconds: 0,
      entityMemoryMiB: 1_024,
      workspaces: undefined,
      warnings: [],
    });
  });

  it('in an empty file means the same, with home next to the file', () => {
    expect(load('# nothing\n')).toMatchObject({ home: join(folder, 'etc', '.ringfence'), workspaces: undefined });
  });
});

describe('the listeners', () => {
  it('have limits per address, and trusted proxies', () => {
    const { listen, management } = load(
      'listen: { trustedProxies: [10.0.0.0/8], wrongKeysPerMinute: 5 }\nmanagement: { trustedProxies: [192.0.2.9] }',
    );
    expect(listen).toMatchObject({
      trustedProxies: [parseIpNetwork('10.0.0.0/8')],
      limits: { connectionsPerAddressMax: 2_000, wrongKeysPerMinute: 5 },
    });
    expect(management.trustedProxies).toMatchObject([parseIpNetwork('192.0.2.9/32')]);
    expect(load('# nothing\n').listen).toMatchObject({
      trustedProxies: [],
      limits: { connectionsPerAddressMax: 2_000, wrongKeysPerMinute: 20 },
    });
  });
});

describe('the syslog server of the audit log', () => {
  const syslog = (text: string) => load(`audit: { syslog: ${text} }`).syslog;

  it('is reached over TLS at the usual port', () => {
    expect(syslog('{ to: tls://siem.bank.example }')).toEqual({
      host: 'siem.bank.example',
      port: 6_514,
      tls: { ca: undefined, client: undefined },
      format: 'rfc5424',
      facility: 'audit',
      messageBytes: 8_192,
      enterpriseNumber: 32_473,
    });
    expect(load('logLevel: info').syslog).toBeUndefined();
  });

  it.each([
    ['{ to: "tls://[2001:db8::1]:7000", format: cef }', { host: '2001:db8::1', port: 7_000, format: 'cef' }],
    ['{ to: tcp://127.0.0.1:601, facility: local3 }', { port: 601, tls: undefined, facility: 'local3' }],
    ['{ to: tcp://siem.bank.example:601, plaintext: true }', { host: 'siem.bank.example', tls: undefined }],
  ])('is read from %s', (text, expected) => {
    expect(syslog(text)).toMatchObject(expected);
  });
});

it('a range for webhooks is for every workspace and port, or for those that it names', () => {
  const ranges =
    'allowPrivateWebhooks:\n  - 10.0.0.0/8\n  - { range: fd00::/8, ports: [443], workspaces: [acme/production] }\n';
  expect(load(ranges).allowPrivateWebhooks).toEqual([
    parseIpNetwork('10.0.0.0/8'),
    { ...parseIpNetwork('fd00::/8'), ports: [443], workspaces: ['acme/production'] },
  ]);
});

describe('the documented file', () => {
  it('is read completely', () => {
    const { workspaces, ...rest } = load(documented, { ACME_LICENSE_KEY: key });
    expect(rest).toMatchObject({
      home: join(folder, 'etc', '.ringfence'),
      allowPrivateWebhooks: [parseIpNetwork('127.0.0.0/8')],
    });
    expect(workspaces).toMatchObject([
      {
        name: 'acme',
        environment: 'production',
        licenseKeys: [key],
        policy: undefined,
        definition: {
          channels: [
            { id: 1, name: 'Mobile app', idleMinutes: 30, absoluteHours: 12, sessions: 'required' },
            { id: 2, name: 'Web' },
          ],
          settings: {
            timezone: 'America/Mexico_City',
            deliver: 'live',
            cards: 'mask',
            sessionGraceSeconds: 5,
            blockHours: 24,
            keepEvents: '400d',
            keepActions: '400d',
            webhook: { url: 'https://bank.internal/smartid/webhook', dateStyle: 'zone', clientHash: 'hmac' },
          },
        },
      },
    ]);
    expect(workspaces?.[0]?.definition.settings.webhook?.publicKeyPem).toContain('BEGIN PUBLIC KEY');
  });

  it('causes warnings about its weaknesses', () => {
    expect(load(documented, { ACME_LICENSE_KEY: key }).warnings).toEqual([
      'workspaces[0].webhook.publicKeyFile: 2048 bits are weak: 3072 or more are recommended',
    ]);
  });
});

describe('webhooks to this machine', () => {
  const file = (environment: string): string => `workspaces:
  - name: acme
    environment: ${environment}
    licenseKeys: [${key}]
    webhook: { url: "http://127.0.0.1:9000/" }
    channels: [{ id: 1, name: App }]
`;

  it.each([
    ['the option', {}, { allowLocalWebhooks: true }],
    ['the environment', { RINGFENCE_ALLOW_LOCAL_WEBHOOKS: 'true' }, {}],
  ])('are allowed in development by %s, and never in production', (_by, environment, options) => {
    expect(load(file('development'), environment, options).workspaces).toHaveLength(1);
    expect(() => load(file('production'), environment, options)).toThrow('loopback');
  });

  it('are refused otherwise', () => {
    expect(() => load(file('development'))).toThrow('RINGFENCE_ALLOW_LOCAL_WEBHOOKS');
    expect(() => load(file('development'), { RINGFENCE_ALLOW_LOCAL_WEBHOOKS: 'yes' })).toThrow('true or false');
  });
});

describe('precedence', () => {
  const file = 'listen: { host: 10.1.1.1, port: 1 }\nmanagement: { port: 2 }\nhome: here\n';

  it('is option, then environment, then file', () => {
    const environment = { PORT: '11', HOST: '0.0.0.0', MANAGEMENT_PORT: '12', RINGFENCE_HOME: 'there' };
    expect(load(file)).toMatchObject({ listen: { host: '10.1.1.1', port: 1 }, management: { port: 2 } });
    expect(load(file, environment)).toMatchObject({
      listen: { host: '0.0.0.0', port: 11 },
      management: { port: 12 },
      home: join(folder, 'there'),
    });
    expect(load(file, environment, { port: '21', home: 'elsewhere' })).toMatchObject({
      listen: { port: 21 },
      home: join(folder, 'elsewhere'),
    });
  });

  it('treats an empty variable as not set', () => {
    expect(load(file, { PORT: '', RINGFENCE_HOME: ' ' })).toMatchObject({
      listen: { port: 1 },
      home: join(folder, 'etc', 'here'),
    });
  });

  it('reads the file that RINGFENCE_CONFIG names', () => {
    load(file);
    const found = loadConfiguration({}, { RINGFENCE_CONFIG: 'etc/ringfence.yaml' }, folder);
    expect(found.file).toBe(join(folder, 'etc', 'ringfence.yaml'));
  });
});

describe('${NAME}', () => {
  it.each([
    ['alone', '${HERE}', 'x'],
    ['in the middle', 'a${HERE}b', 'axb'],
    ['twice', '${HERE}${HERE}', 'xx'],
    ['in quotes', '"${HERE}"', 'x'],
  ])('is replaced by the environment variable: %s', (_, home, expected) => {
    expect(load(`home: ${home}`, { HERE: 'x' }).home).toBe(join(folder, 'etc', expected));
  });

  it('becomes a number if a number is expected', () => {
    expect(load('listen: { port: ${P} }', { P: '81' }).listen.port).toBe(81);
  });

  it('cannot change the structure of the file', () => {
    const value = 'x"\nworkspaces: [] # ]}';
    expect(load('home: ${V}', { V: value })).toMatchObject({ home: join(folder, 'etc', value), workspaces: undefined });
  });

  it('in a comment is not replaced', () => {
    expect(load('home: a # ${NOT_SET}').home).toBe(join(folder, 'etc', 'a'));
  });
});

it('a command does not need the file’s workspaces', () => {
  const text = `home: here\nworkspaces: [{ name: acme, licenseKeys: [\${NOT_SET}] }]`;
  expect(load(text, {}, { withoutWorkspaces: true })).toMatchObject({
    home: join(folder, 'etc', 'here'),
    workspaces: undefined,
  });
  expect(() => load('prot: 1\nworkspaces: []', {}, { withoutWorkspaces: true })).toThrow('prot is not known');
});

it('a license key of digits keeps all digits, even without quotes', () => {
  const text = `workspaces: [{ name: a, environment: production, licenseKeys: [${key}] }]`;
  expect(load(text).workspaces?.[0]?.licenseKeys).toEqual([key]);
});

it('a YAML alias is replaced by its anchor', () => {
  const text = 'listen: &here { host: 127.0.0.9 }\nmanagement: *here\n';
  expect(load(text).management.host).toBe('127.0.0.9');
});

it('a management API that other machines can reach without TLS causes a warning', () => {
  expect(load('management: { host: 0.0.0.0 }').warnings[0]).toContain('without TLS');
});
