/** Mistakes in the configuration, and the messages that report them. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loadConfiguration } from '../../src/config/load-configuration.ts';
import { ConfigurationError } from '../../src/platform/shapes/mistakes.ts';
import { makeLicenseKey } from '../../src/platform/secrets/license-key.ts';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'ringfence-config-'));
  writeFileSync(join(folder, 'not-a-key.pem'), 'hello');
  const weak = ['-x509', '-newkey', 'rsa:1024', '-nodes', '-subj', '/CN=bank.example', '-days', '9'];
  const to = ['-keyout', 'weak.key', '-out', 'weak.pem'];
  execFileSync('openssl', ['req', ...weak, ...to], { cwd: folder, stdio: 'pipe' });
  mkdirSync(join(folder, 'empty'));
  mkdirSync(join(folder, 'broken'));
  writeFileSync(join(folder, 'broken', 'rules.yaml'), 'rules:\n  - reason: 1\n    nmae: x\n');
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** The error message, without the folder's name. */
function told(text: string, environment: Record<string, string> = {}): readonly string[] {
  writeFileSync(join(folder, 'ringfence.yaml'), text);
  return toldOf('ringfence.yaml', environment);
}

function toldOf(config: string, environment: Record<string, string> = {}): readonly string[] {
  try {
    loadConfiguration({ config }, environment, folder);
    return [];
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    return error.message.replaceAll(`${folder}/`, '').split('\n');
  }
}

/** One workspace with one additional line. */
function workspace(...lines: readonly string[]): string {
  return ['workspaces:', '  - name: acme', '    environment: production', ...lines.map((line) => `    ${line}`)].join(
    '\n',
  );
}

const listener = 'expected a whole number from 0 to 65535';

describe('a mistake is reported with file, line, column and what was expected', () => {
  it.each([
    ['not a mapping', 'hello', 'ringfence.yaml:1:1: the top level: expected a mapping (key: value), found "hello"'],
    ['a mistyped key', 'lsiten: {}', 'ringfence.yaml:1:1: lsiten is not known; did you mean "listen"?'],
    [
      'a proxy that is not a valid range',
      'listen: { trustedProxies: [10.0.0.1/8] }',
      'ringfence.yaml:1:28: listen.trustedProxies[0]: expected an address range, like 10.0.0.0/8 or fd00::/8, with no bits set beyond its prefix, found "10.0.0.1/8"',
    ],
    [
      'a syslog server over UDP',
      'audit: { syslog: { to: udp://siem.bank.example:514 } }',
      'ringfence.yaml:1:24: audit.syslog.to: expected tls:// or tcp://: UDP loses messages, found "udp://siem.bank.example:514"',
    ],
    [
      'a syslog server that is no address',
      'audit: { syslog: { to: tls://siem.bank.example/log } }',
      'ringfence.yaml:1:24: audit.syslog.to: expected an address like tls://siem.bank.example:6514, or tcp://127.0.0.1:601, found "tls://siem.bank.example/log"',
    ],
    [
      'a syslog server over TCP without a port',
      'audit: { syslog: { to: tcp://127.0.0.1 } }',
      'ringfence.yaml:1:24: audit.syslog.to: expected an address like tls://siem.bank.example:6514, or tcp://127.0.0.1:601, found "tcp://127.0.0.1"',
    ],
    [
      'a syslog server elsewhere without encryption',
      'audit: { syslog: { to: tcp://siem.bank.example:601 } }',
      'ringfence.yaml:1:24: audit.syslog.to: expected tls://; or plaintext: true beside it, to send without encryption',
    ],
    [
      'an authority without TLS',
      'audit: { syslog: { to: tcp://127.0.0.1:601, caFile: not-a-key.pem } }',
      'ringfence.yaml:1:53: audit.syslog.caFile: expected no such file with tcp://',
    ],
    [
      'a client certificate without its key',
      'audit: { syslog: { to: tls://siem.bank.example, clientCertificateFile: weak.pem } }',
      'ringfence.yaml:1:10: audit.syslog.clientKeyFile: expected a file beside clientCertificateFile',
    ],
    [
      'an authority of a syslog server that is none',
      'audit: { syslog: { to: tls://siem.bank.example, caFile: not-a-key.pem } }',
      'ringfence.yaml:1:57: audit.syslog.caFile: expected the PEM of one or more certificates',
    ],
    [
      'a client key of a syslog server that is none',
      'audit: { syslog: { to: tls://siem.bank.example, clientCertificateFile: weak.pem, clientKeyFile: not-a-key.pem } }',
      'ringfence.yaml:1:97: audit.syslog.clientKeyFile: expected the PEM of a private key',
    ],
    [
      'a message of a syslog server that is too short',
      'audit: { syslog: { to: tls://siem.bank.example, messageBytes: 480 } }',
      'ringfence.yaml:1:63: audit.syslog.messageBytes: expected a whole number of bytes from 2048 to 65536, found 480',
    ],
    ['a port that is a word', 'listen: { port: http }', `ringfence.yaml:1:17: listen.port: ${listener}, found "http"`],
    ['a port out of bounds', 'listen:\n  port: 70000', `ringfence.yaml:2:9: listen.port: ${listener}, found 70000`],
    ['a port without value', 'listen:\n  port:\n', `ringfence.yaml:2:3: listen.port: ${listener}, found nothing`],
    ['a key twice', 'home: a\nhome: b', 'ringfence.yaml:2:1: not well-formed YAML: Map keys must be unique'],
    ['a tab', 'listen:\n\tport: 1', 'ringfence.yaml:2:1: not well-formed YAML: Tabs are not allowed as indentation'],
    ['an alias of nothing', 'home: *nowhere', 'ringfence.yaml:1:7: this alias (*name) has no anchor (&name) above it'],
    [
      'a log level',
      'logLevel: wran',
      'ringfence.yaml:1:11: logLevel: expected trace or debug or info or warn or error or fatal, found "wran"; did you mean "warn"?',
    ],
    [
      'a range with stray bits',
      'allowPrivateWebhooks: [10.0.0.1/8]',
      'ringfence.yaml:1:24: allowPrivateWebhooks[0]: expected an address range, like 10.0.0.0/8 or fd00::/8, with no bits set beyond its prefix, found "10.0.0.1/8"',
    ],
    [
      'a range with stray bits in a mapping',
      'allowPrivateWebhooks:\n  - { range: 10.0.0.1/8 }',
      'ringfence.yaml:2:14: allowPrivateWebhooks[0].range: expected an address range, like 10.0.0.0/8 or fd00::/8, with no bits set beyond its prefix, found "10.0.0.1/8"',
    ],
    [
      'a range for no port',
      'allowPrivateWebhooks:\n  - { range: 10.0.0.0/8, ports: [0] }',
      'ringfence.yaml:2:34: allowPrivateWebhooks[0].ports[0]: expected a whole number from 1 to 65535, found 0',
    ],
    [
      'a range with a misspelt member',
      'allowPrivateWebhooks:\n  - { range: 10.0.0.0/8, port: [443] }',
      'ringfence.yaml:2:26: allowPrivateWebhooks[0].port is not known; did you mean "ports"?',
    ],
    [
      'a list where a range is expected',
      'allowPrivateWebhooks: [[10.0.0.0/8]]',
      'ringfence.yaml:1:24: allowPrivateWebhooks[0]: expected an address range, like 10.0.0.0/8 or fd00::/8, with no bits set beyond its prefix; or a mapping with range, ports and workspaces, found a list',
    ],
    [
      'a missing certificate',
      'listen:\n  tls: { certFile: a.pem, keyFile: not-a-key.pem }',
      'ringfence.yaml:2:20: listen.tls.certFile: a.pem cannot be read (there is no such file)',
    ],
    [
      'a certificate with a key that TLS refuses',
      'listen:\n  tls: { certFile: weak.pem, keyFile: weak.key }',
      'ringfence.yaml:2:20: listen.tls.certFile: expected a certificate whose key is long enough, RSA of 2048 bits or more (ee key too small)',
    ],
    [
      'one port for both listeners',
      'listen: { port: 9000 }\nmanagement: { port: 9000 }',
      'ringfence.yaml:2:21: management.port: expected different ports for listen and management, but both are 9000',
    ],
    [
      'the default port of the other listener',
      'listen: { host: 0.0.0.0, port: 8081 }',
      'ringfence.yaml:1:32: listen.port: expected different ports for listen and management, but both are 8081',
    ],
    [
      'a home where nothing can be stored',
      'home: /proc/nothing',
      'ringfence.yaml:1:7: home: expected a folder on a disk, but /proc/nothing is in /proc',
    ],
    [
      'a workspace without name',
      'workspaces:\n  - environment: production',
      'ringfence.yaml:2:5: workspaces[0].name is missing: expected a name of 1 to 64 letters, digits, spaces, ".", "_" or "-", beginning with a letter or digit',
    ],
    [
      'an unknown environment',
      'workspaces:\n  - name: a\n    environment: prod',
      'ringfence.yaml:3:18: workspaces[0].environment: expected production or development, found "prod"',
    ],
    [
      'licence for license',
      workspace('licenceKeys: []'),
      'ringfence.yaml:4:5: workspaces[0].licenceKeys is not known; did you mean "licenseKeys"?',
    ],
    [
      'no key in the list',
      workspace('licenseKeys: []'),
      'ringfence.yaml:4:18: workspaces[0].licenseKeys: expected 1 to 2 items, found 0',
    ],
    [
      'a short key',
      workspace('licenseKeys: [tooshort]'),
      'ringfence.yaml:4:19: workspaces[0].licenseKeys[0]: expected 32 to 512 characters, found 8',
    ],
    [
      'a variable that is not set',
      workspace('licenseKeys: [${ACME_KEY}]'),
      'ringfence.yaml:4:19: the environment variable ACME_KEY is not set',
    ],
    [
      'not a variable',
      workspace('timezone: "${not a name}"'),
      'ringfence.yaml:4:15: ${not a name}: expected ${NAME}, the name of an environment variable',
    ],
    [
      'an unknown time zone',
      workspace('timezone: America/Mexico'),
      'ringfence.yaml:4:15: workspaces[0].timezone: expected an IANA time zone, like America/Mexico_City, found "America/Mexico"',
    ],
    [
      'a channel id that is text',
      workspace('channels: [{ id: one, name: App }]'),
      'ringfence.yaml:4:22: workspaces[0].channels[0].id: expected a whole number from 0 to 2147483647, found "one"',
    ],
    [
      'a channel id twice',
      workspace('channels: [{ id: 1, name: App }, { id: 1, name: Web }]'),
      'ringfence.yaml:4:44: workspaces[0].channels[1].id: expected another id: 1 is the id of a channel above',
    ],
    [
      'a webhook without url',
      workspace('webhook: { deliver: live }'),
      'ringfence.yaml:4:14: workspaces[0].webhook.url is missing: expected an https:// address',
    ],
    [
      'a webhook by http',
      workspace('webhook: { url: "http://bank.example/hook" }'),
      'ringfence.yaml:4:21: workspaces[0].webhook.url cannot be used: production requires https, except to addresses that the operator allows',
    ],
    [
      'a webhook to a private address',
      workspace('webhook: { url: "https://10.0.0.1/hook" }'),
      'ringfence.yaml:4:21: workspaces[0].webhook.url cannot be used: 10.0.0.1 is a private address; only the operator can allow it, for this workspace and port 443: allowPrivateWebhooks in the configuration file, which commands need too (--config)',
    ],
    [
      'an invalid public key',
      workspace('webhook: { url: "https://a.example/", publicKeyFile: not-a-key.pem }'),
      'ringfence.yaml:4:58: workspaces[0].webhook.publicKeyFile: expected the PEM of an RSA public key (not a public key in PEM)',
    ],
    [
      'a client key alone',
      workspace('webhook: { url: "https://a.example/", clientKeyFile: not-a-key.pem }'),
      'ringfence.yaml:4:58: workspaces[0].webhook.clientKeyFile: expected the PEM of a private key',
    ],
    [
      'a missing CA file',
      workspace('webhook: { url: "https://a.example/", caFile: ca.pem }'),
      'ringfence.yaml:4:51: workspaces[0].webhook.caFile: ca.pem cannot be read (there is no such file)',
    ],
    [
      'an expiry without an action number',
      workspace('webhook: { url: "https://a.example/", expiryMinutes: { zero: 1 } }'),
      'ringfence.yaml:4:60: workspaces[0].webhook.expiryMinutes.zero is not known; expected a mapping from action number to minutes',
    ],
    [
      'a missing policy folder',
      workspace('policy: ./policy'),
      'ringfence.yaml:4:13: workspaces[0].policy: policy cannot be read: there is no such folder.',
    ],
    [
      'an empty policy folder',
      workspace('policy: empty'),
      'ringfence.yaml:4:13: workspaces[0].policy: empty contains no policy: expected files that end in .yaml.',
    ],
    [
      'a workspace twice',
      `${workspace()}\n  - { name: acme, environment: production }`,
      'ringfence.yaml:4:13: workspaces[1].name: acme/production is already declared above',
    ],
  ])('%s', (_, text, message) => {
    expect(told(text).slice(0, 1)).toEqual([message]);
  });

  it('in a policy file, at its place in that file', () => {
    expect(told(workspace('policy: broken'))).toContainEqual(expect.stringMatching(/^broken\/rules\.yaml:3:5: .*nmae/));
  });

  it('in a policy file once, even if two workspaces use its folder', () => {
    const other = '\n  - { name: other, environment: production, policy: ./broken }';
    expect(told(workspace('policy: broken') + other)).toEqual(told(workspace('policy: broken')));
  });

  it('in the environment, by the name of the variable or option', () => {
    expect(told('# nothing', { PORT: '9000', MANAGEMENT_PORT: '9000', RINGFENCE_HOME: '/sys/x' })).toEqual([
      'home: expected a folder on a disk, but /sys/x is in /sys',
      'ports: expected different ports for listen and management, but both are 9000',
    ]);
  });

  it.each([
    ['nothing', ''],
    ['nothing but white space', '\n  \n'],
  ])('in a file that contains only %s', (_, text) => {
    expect(told(text)).toEqual([
      'ringfence.yaml: cannot be read: it is empty; a full disk or a power failure can cause this',
    ]);
  });

  it('if a folder is given instead of a file', () => {
    expect(toldOf('empty')).toEqual(['empty: cannot be read: it is a folder']);
  });

  it.each([
    ['on two addresses', 'listen: { host: 127.0.0.1, port: 9000 }\nmanagement: { host: 127.0.0.2, port: 9000 }'],
    ['any free port', 'listen: { port: 0 }\nmanagement: { port: 0 }'],
    ['in memory', 'home: /dev/shm/ringfence'],
  ])('but not for valid input: %s', (_, text) => {
    expect(told(text)).toEqual([]);
  });

  it('for a key of the other environment, without printing it', () => {
    const key = makeLicenseKey('development');
    const [line] = told(workspace(`licenseKeys: [${key}]`));
    expect(line).toBe(
      'ringfence.yaml:4:19: workspaces[0].licenseKeys[0]: expected a production key; this is a development key',
    );
  });

  it('for a value from the environment, without printing it', () => {
    const lines = told(workspace('licenseKeys: [${SECRET}]', 'timezone: ${SECRET}'), { SECRET: 'do-not-tell' });
    expect(lines).toHaveLength(2);
    expect(lines.join()).not.toContain('do-not-tell');
  });
});

describe('all mistakes are reported together, in the order of the file', () => {
  it('including those that are found only after the shape is checked', () => {
    const text = [
      'listen: { prot: 1 }',
      'workspaces:',
      '  - name: acme',
      '    environment: production',
      '    webhook: { url: https://10.0.0.1/hook, caFile: ca.pem }',
      '    policy: nowhere',
      '  - name: zenith',
      '    environment: test',
    ].join('\n');
    expect(
      told(text, { PORT: 'x', DATABASE_URL: 'mysql://root:secret@db/x' }).map((line) => line.split(' ')[0]),
    ).toEqual([
      'PORT:',
      'DATABASE_URL:',
      'ringfence.yaml:1:11:',
      'ringfence.yaml:5:21:',
      'ringfence.yaml:5:52:',
      'ringfence.yaml:6:13:',
      'ringfence.yaml:8:18:',
    ]);
  });

  it('including those of a workspace with one invalid member', () => {
    const text = workspace(
      'timezone: Mars/Olympus',
      'webhook: { url: ftp://bank, publicKeyFile: none.pem }',
      'policy: nowhere',
      'channels: [{ id: 1, name: App }, { id: 1, name: Web }]',
    );
    expect(told(text).map((line) => line.split(' ').slice(0, 2).join(' '))).toEqual([
      'ringfence.yaml:4:15: workspaces[0].timezone:',
      'ringfence.yaml:5:21: workspaces[0].webhook.url',
      'ringfence.yaml:5:48: workspaces[0].webhook.publicKeyFile:',
      'ringfence.yaml:6:13: workspaces[0].policy:',
      'ringfence.yaml:7:44: workspaces[0].channels[1].id:',
    ]);
  });

  it.each([
    'postgresql://rf:12/secret@db/x',
    'postgresql://rf:pass/secret@db:5432/x',
    'postgresql://rf:pass#secret@db/x',
    'postgresql://rf:12#secret@db/x',
    'postgresql://rf:pass?secret@db/x',
    'postgresql://rf:secret@db:99999/x',
  ])('an unusable DATABASE_URL is reported without its password: %s', (url) => {
    const [mistake = ''] = told('# nothing', { DATABASE_URL: url });
    expect(mistake).toMatch(/^DATABASE_URL: expected postgresql:.*percent-encoded/);
    expect(mistake).not.toContain('secret');
  });

  it.each([
    'postgresql://rf:secret@db:5432/x?sslmode=verify-full',
    'postgresql:///x?host=/run/postgresql&user=rf@bank',
    'postgresql://rf:secret@/x?host=/run/postgresql',
    'postgres://%2Frun%2Fpostgresql/x',
    'postgresql://[::1]:5432/x',
    'postgresql://rf@bank:p%2Fw@db/x',
    'postgresql://db',
  ])('a valid DATABASE_URL is accepted: %s', (url) => {
    expect(told('# nothing', { DATABASE_URL: url })).toEqual([]);
  });

  it.each([
    ['DATABSE_URL', 'x', 'not read; did you mean DATABASE_URL?'],
    ['DATABASE_URI', 'x', 'not read; did you mean DATABASE_URL?'],
    ['PGDATABASE_URL', 'x', 'not read; did you mean DATABASE_URL?'],
    ['database_url', 'x', 'not read; did you mean DATABASE_URL?'],
    ['POSTGRES_URL', 'postgres://db/x', 'not read; did you mean DATABASE_URL?'],
    ['MANAGMENT_PORT', '1', 'not read; did you mean MANAGEMENT_PORT?'],
    ['RINGFENCE_DATABASE_URL', 'x', 'not known; did you mean DATABASE_URL?'],
    ['RINGFENCE_HOEM', 'x', 'not known; did you mean RINGFENCE_HOME?'],
    ['RINGFENCE_MASTERKEY', 'x', 'not known; did you mean RINGFENCE_MASTER_KEY?'],
    ['RINGFENCE_COLOUR', 'x', 'not known; expected one of RINGFENCE_CONFIG, RINGFENCE_HOME, '],
  ])('a variable that is set under a wrong name is refused: %s', (name, value, message) => {
    const [mistake = '', ...more] = told('# nothing', { [name]: value });
    expect(more).toEqual([]);
    expect(mistake).toContain(`${name}: this environment variable is ${message}`);
  });

  it.each([
    ['it is empty', '# nothing', { DATABSE_URL: ' ', RINGFENCE_HOEM: '' }],
    ['the right one is set too', '# nothing', { DATABASE_URI: 'x', DATABASE_URL: 'postgresql://db/x' }],
    ['the file says which database is used', 'database: embedded', { DATABASE_URI: 'postgresql://db/x' }],
    [
      'it is the database of another program',
      '# nothing',
      { SHOP_DATABASE_URL: 'postgresql://db/x', DB_URL: 'mysql:' },
    ],
    ['the file uses it', 'home: ./${RINGFENCE_PLACE}', { RINGFENCE_PLACE: 'x' }],
    ['a bank uses it', '# nothing', { RINGFENCE_LICENSE_KEY: 'x', RINGFENCE_WEBHOOK_SECRET: 'x' }],
    [
      'Kubernetes sets it for a service of this name',
      '# nothing',
      {
        RINGFENCE_PORT: 'tcp://10.0.0.11:8080',
        RINGFENCE_SERVICE_HOST: '10.0.0.11',
        RINGFENCE_SERVICE_PORT_EVENTS: '8080',
        RINGFENCE_PORT_8080_TCP_ADDR: '10.0.0.11',
        RINGFENCE_DB_PORT_5432_TCP: 'tcp://10.0.0.12:5432',
      },
    ],
  ])('a similar name is accepted if %s', (_, text, environment) => {
    expect(told(text, environment)).toEqual([]);
  });

  it('the file says which database is used, and a lost or a left variable is refused', () => {
    expect(told('home: x\ndatabase: external')).toEqual([
      'ringfence.yaml:2:11: database: expected DATABASE_URL in the environment of this process, which is not set',
    ]);
    expect(told('database: embedded', { DATABASE_URL: 'postgresql://db/x' })).toEqual([
      'ringfence.yaml:1:11: database: expected external, because DATABASE_URL is set; or unset DATABASE_URL for this process',
    ]);
    expect(told('database: external', { DATABASE_URL: 'postgresql://db/x' })).toEqual([]);
    expect(told('database: external', { DATABASE_URL: 'mysql://db/x' })).toHaveLength(1);
  });

  it('a password in DATABASE_URL is not printed', () => {
    expect(told('# nothing', { DATABASE_URL: 'mysql://root:secret@db/x' }).join()).not.toContain('secret');
  });
});
