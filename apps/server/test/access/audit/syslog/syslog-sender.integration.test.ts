/**
 * Goal: every entry of the audit log reaches the syslog server, whatever happens to it, to the connection and to the
 * process; an entry that comes twice is the same entry.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TlsOptions } from 'node:tls';
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { noteIntent } from '../../../../src/access/audit/audit-intent.ts';
import { auditHash } from '../../../../src/access/audit/audit-entry.ts';
import { appendAudit } from '../../../../src/access/audit/audit-log.ts';
import { readSent, readUnsent } from '../../../../src/access/audit/syslog/sent-entries.ts';
import { SyslogSender, type SyslogSenderOptions } from '../../../../src/access/audit/syslog/syslog-sender.ts';
import type { SyslogSettings } from '../../../../src/access/audit/syslog/syslog-settings.ts';
import { checkSyslog } from '../../../../src/cli/doctor/check-syslog.ts';
import { testAuthority, type TestAuthority } from '../../../deliver/support/certificates.ts';
import { type Installation, makeInstallation } from '../../../support/installation.ts';
import { type SyslogReceiver, syslogReceiver } from './support/syslog-receiver.ts';

const entry = {
  workspaceId: 'w1',
  actorKind: 'person',
  actor: 'ana@bank.example',
  action: 'changeWorkspace',
  target: undefined,
  address: '10.1.2.3',
  requestId: 'r',
} as const;
/** Far beyond what a busy machine needs. */
const patient = { wholeMs: 30_000, settleMs: 100 };

let installation: Installation;
let folder: string;
let authority: TestAuthority;
let server: TlsOptions;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'ringfence-syslog-'));
  authority = testAuthority('the authority');
  writeFileSync(join(folder, 'ca.pem'), authority.ca);
  server = authority.issue('IP:127.0.0.1');
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

beforeEach(async () => {
  installation = await makeInstallation();
  return () => installation.close();
});

async function append(count: number, detail: Readonly<Record<string, unknown>> = {}): Promise<void> {
  const { pool, master } = installation;
  for (let i = 0; i < count; i++) {
    await appendAudit(pool, master, {
      ...entry,
      atMs: Date.parse('2026-11-28T10:00:00Z') + i,
      detail: { ...detail, i },
    });
  }
}

async function receiverOf(tls: TlsOptions | undefined = server, port = 0): Promise<SyslogReceiver> {
  const receiver = await syslogReceiver(tls, port);
  onTestFinished(() => receiver.close());
  return receiver;
}

function settingsFor(port: number, more: Partial<SyslogSettings> = {}): SyslogSettings {
  return {
    host: '127.0.0.1',
    port,
    tls: { ca: join(folder, 'ca.pem'), client: undefined },
    format: 'rfc5424',
    facility: 'audit',
    messageBytes: 8_192,
    enterpriseNumber: 32_473,
    ...more,
  };
}

interface Sender {
  readonly sender: SyslogSender;
  readonly lines: { readonly level: string; readonly message: string; readonly fields: object }[];
  readonly failures: () => number;
}

function senderFor(settings: SyslogSettings, more: Partial<SyslogSenderOptions> = {}): Sender {
  const lines: Sender['lines'] = [];
  let failures = 0;
  const at =
    (level: string) =>
    (fields: object, message: string): void =>
      void lines.push({ level, message, fields });
  const sender = new SyslogSender({
    pool: installation.pool,
    master: installation.master,
    settings,
    logger: { info: at('info'), warn: at('warn'), error: at('error') },
    now: Date.now,
    random: () => 1,
    onFailure: () => failures++,
    bounds: patient,
    ...more,
  });
  onTestFinished(() => sender.stop());
  return { sender, lines, failures: () => failures };
}

const sent = (): Promise<number> => readSent(installation.pool);

/** The numbers that arrived, and the last hash of the chain that their messages make, which must have no gap. */
function chainOf({ messages }: Pick<SyslogReceiver, 'messages'>): { numbers: readonly number[]; head: string } {
  const byNumber = new Map<number, Buffer>();
  const numbers: number[] = [];
  let head: Buffer = Buffer.alloc(32);
  for (const { data, timestamp, text } of messages) {
    const of = (name: string): string | undefined => data!.members.get(name);
    const seq = Number(of('entry'));
    numbers.push(seq);
    const before = seq === 1 ? Buffer.alloc(32) : byNumber.get(seq - 1);
    expect(before, `the entry before ${seq} came earlier`).toBeDefined();
    const hash = auditHash(
      before!,
      {
        seq,
        atMs: Date.parse(timestamp),
        workspaceId: of('workspace'),
        actorKind: of('actorKind') as 'person',
        actor: of('actor')!,
        action: of('action')!,
        target: of('target'),
        address: of('address')!,
        requestId: of('requestId')!,
      },
      text,
    );
    expect(of('hash')).toBe(hash.toString('hex'));
    expect(byNumber.get(seq) ?? hash).toEqual(hash);
    byNumber.set(seq, hash);
    head = hash;
  }
  return { numbers, head: head.toString('hex') };
}

async function databaseHead(): Promise<string> {
  const found = await installation.pool.query<{ hash: Buffer }>(`select hash from audit_head`);
  return found.rows[0]!.hash.toString('hex');
}

const range = (from: number, to: number): readonly number[] =>
  Array.from({ length: to - from + 1 }, (_, i) => from + i);

describe('the audit log at a syslog server', () => {
  it('arrives whole, in order and once, and its chain ends as in the database', async () => {
    await append(450, { text: 'é"]\\\n' });
    const receiver = await receiverOf();
    const { sender, lines } = senderFor(settingsFor(receiver.port));
    // Two connections are full, so the next one follows at once.
    expect([await sender.round(), await sender.round(), await sender.round()]).toEqual([0, 0, 1_000]);
    expect(chainOf(receiver)).toEqual({ numbers: range(1, 450), head: await databaseHead() });
    expect([await sent(), receiver.connections, receiver.mistakes, lines]).toEqual([450, 3, [], []]);
    const { rows } = await installation.pool.query<{ signature: Buffer }>(
      `select signature from audit_entry order by seq desc limit 1`,
    );
    expect(receiver.messages.at(-1)!.data!.members.get('signature')).toBe(rows[0]!.signature.toString('hex'));
    // Nothing waits: no further connection.
    expect([await sender.round(), receiver.connections]).toEqual([1_000, 3]);
  });

  it('leaves by itself, with changes whose process ended', async () => {
    const receiver = await receiverOf();
    const { pool } = installation;
    await noteIntent(pool, { ...entry, action: 'importHistory', atMs: Date.now(), detail: {} });
    await pool.query(`update audit_intent set at = at - interval '2 minutes'`);
    const { sender } = senderFor(settingsFor(receiver.port));
    sender.start();
    await expect.poll(sent, { timeout: 30_000 }).toBe(1);
    expect(receiver.messages).toMatchObject([{ messageId: 'importHistory', text: '{"unfinished":true}', severity: 4 }]);
    await append(1);
    await expect.poll(sent, { timeout: 30_000 }).toBe(2);
    await sender.stop();
  });

  it('arrives as CEF, and over TCP', async () => {
    await append(2);
    const receiver = await syslogReceiver(undefined);
    onTestFinished(() => receiver.close());
    const { sender } = senderFor(settingsFor(receiver.port, { tls: undefined, format: 'cef', facility: 'local3' }));
    await sender.round();
    expect(receiver.messages.map(({ facility, text }) => [facility, text.slice(0, 24)])).toEqual([
      [19, 'CEF:0|Ringfence|Ringfenc'],
      [19, 'CEF:0|Ringfence|Ringfenc'],
    ]);
    expect(await sent()).toBe(2);
  });
});

describe('a receiver that fails', () => {
  it('is away: attempts after growing pauses, one line at the start and one at the end', async () => {
    await append(3);
    const gone = await syslogReceiver(server);
    await gone.close();
    const { sender, lines, failures } = senderFor(settingsFor(gone.port));
    expect([await sender.round(), await sender.round(), await sender.round()]).toEqual([1_000, 2_000, 4_000]);
    for (let i = 0; i < 8; i++) await sender.round();
    expect(await sender.round()).toBe(300_000);
    expect([await sent(), failures()]).toEqual([0, 12]);
    expect(await readUnsent(installation.pool, Date.parse('2026-11-28T10:00:09Z'))).toEqual({
      waiting: 3,
      oldestMs: 9_000,
    });

    const receiver = await receiverOf(server, gone.port);
    for (let i = 0; i < 3; i++) await sender.round();
    expect(chainOf(receiver)).toEqual({ numbers: [1, 2, 3], head: await databaseHead() });
    expect(lines.map(({ level, message }) => `${level}: ${message}`)).toEqual([
      'error: the syslog server does not take the audit log',
      'info: the syslog server takes the audit log again',
    ]);
    expect(lines[0]!.fields).toMatchObject({
      to: `tls://127.0.0.1:${gone.port}`,
      err: expect.objectContaining({ code: 'ECONNREFUSED' }) as Error,
    });
  });

  it.each([
    { manner: 'dieMidway', hasAll: false },
    { manner: 'closeMidway', hasAll: false },
    { manner: 'resetAtEnd', hasAll: true },
  ] as const)('by $manner gets everything again, and nothing is left out', async ({ manner, hasAll }) => {
    // More than the buffers of a connection take at once, so that it fails in the middle of a message.
    await append(40, { text: 'x'.repeat(60_000) });
    const receiver = await receiverOf();
    receiver.manner = manner;
    const { sender, failures } = senderFor(settingsFor(receiver.port, { messageBytes: 65_536 }));
    await sender.round();
    expect([await sent(), failures()]).toEqual([0, 1]);
    const before = receiver.messages.length;
    expect(before === 40).toBe(hasAll);
    receiver.manner = 'read';
    await sender.round();
    expect(await sent()).toBe(40);
    const { numbers, head } = chainOf(receiver);
    expect(numbers).toEqual([...range(1, before), ...range(1, 40)]);
    expect(head).toBe(await databaseHead());
    expect(receiver.mistakes.filter(({ message }) => !message.includes('has no end'))).toEqual([]);
  });

  it.each(['stall', 'linger'] as const)('by %s is left after a time, and holds up nothing', async (manner) => {
    await append(40, { text: 'x'.repeat(60_000) });
    const receiver = await receiverOf();
    receiver.manner = manner;
    const settings = settingsFor(receiver.port, { messageBytes: 65_536 });
    const { sender, lines, failures } = senderFor(settings, { bounds: { wholeMs: 2_000, settleMs: 50 } });
    const round = sender.round();
    // The log is written meanwhile.
    await append(1);
    await round;
    expect([await sent(), failures()]).toEqual([0, 1]);
    expect(lines[0]!.fields).toMatchObject({
      err: expect.objectContaining({
        message: 'the receiver did not take everything and close within 2 seconds',
      }) as Error,
    });
    receiver.manner = 'read';
    const before = receiver.messages.length;
    await senderFor(settings).sender.round();
    expect(await sent()).toBe(41);
    expect(chainOf(receiver).numbers.slice(before)).toEqual(range(1, 41));
  });

  it('takes fewer entries at a time after failures, and more again', async () => {
    await append(450);
    const receiver = await receiverOf();
    receiver.manner = 'resetAtEnd';
    const { sender } = senderFor(settingsFor(receiver.port));
    await sender.round();
    await sender.round();
    receiver.manner = 'read';
    const cursors: number[] = [];
    for (let i = 0; i < 4; i++) {
      await sender.round();
      cursors.push(await sent());
    }
    expect(cursors).toEqual([50, 150, 350, 450]);
  });
});

describe('a certificate', () => {
  it.each([
    ['of another authority', () => testAuthority('another').issue('IP:127.0.0.1'), /unable to verify|self-signed/],
    ['of another host', () => authority.issue('siem.bank.example'), /IP: 127\.0\.0\.1 is not in the cert's list/],
    ['that expired', () => authority.issue('IP:127.0.0.1', -1), /certificate has expired/],
  ])('%s is refused before a byte of the log leaves', async (_, issue, reason) => {
    await append(1);
    const receiver = await receiverOf(issue());
    const { sender, lines } = senderFor(settingsFor(receiver.port));
    await sender.round();
    expect([await sent(), receiver.messages]).toEqual([0, []]);
    expect((lines[0]!.fields as { err: Error }).err.message).toMatch(reason);
    const { pool } = installation;
    const [finding, late] = await checkSyslog(
      { syslog: settingsFor(receiver.port) },
      { pool, nowMs: Date.parse('2026-11-28T13:30:00Z') },
    );
    expect(finding).toMatchObject({ what: 'syslog', state: 'bad', detail: expect.stringMatching(reason) as string });
    expect(late).toMatchObject({
      state: 'unwise',
      detail: '1 entries of the audit log were not sent, the oldest for 3 hours',
    });
  });

  it('of TLS 1.1 is not negotiated', async () => {
    const receiver = await receiverOf({
      ...server,
      minVersion: 'TLSv1',
      maxVersion: 'TLSv1.1',
      ciphers: 'ALL:@SECLEVEL=0',
    });
    await append(1);
    const { sender, failures } = senderFor(settingsFor(receiver.port));
    await sender.round();
    expect([await sent(), failures()]).toEqual([0, 1]);
  });

  it('of ours is shown to a server that asks for it, as renewed', async () => {
    await append(1);
    const receiver = await receiverOf({ ...server, ca: authority.ca, requestCert: true, rejectUnauthorized: true });
    const files = { certificate: join(folder, 'client.pem'), key: join(folder, 'client.key') };
    const none = senderFor(settingsFor(receiver.port));
    await none.sender.round();
    expect([await sent(), none.failures(), receiver.messages]).toEqual([0, 1, []]);

    const write = ({ cert, key }: { cert: string; key: string }): void => {
      writeFileSync(files.certificate, cert);
      writeFileSync(files.key, key);
    };
    write(testAuthority('another').issue('ringfence'));
    const tls = { ca: join(folder, 'ca.pem'), client: files };
    const { sender, failures } = senderFor(settingsFor(receiver.port, { tls }));
    await sender.round();
    expect([await sent(), failures()]).toEqual([0, 1]);
    write(authority.issue('ringfence'));
    await sender.round();
    expect([await sent(), failures()]).toEqual([1, 1]);
    const found = await checkSyslog(
      { syslog: settingsFor(receiver.port, { tls }) },
      { pool: installation.pool, nowMs: 0 },
    );
    expect(found).toEqual([
      { what: 'syslog', state: 'good', detail: `tls://127.0.0.1:${receiver.port} takes connections` },
    ]);
  });
});

describe('of two processes', () => {
  it('one sends, and the other takes over without a gap when it is gone', async () => {
    await append(5);
    const receiver = await receiverOf();
    receiver.manner = 'linger';
    const settings = settingsFor(receiver.port);
    const one = senderFor(settings, { pool: installation.anotherPool() });
    const other = senderFor(settings, { pool: installation.anotherPool() });
    const round = one.sender.round();
    await expect.poll(() => receiver.messages.length, { timeout: 20_000 }).toBe(5);
    // The lock is taken: no second connection.
    expect([await other.sender.round(), receiver.connections]).toEqual([1_000, 1]);
    await append(2);
    await one.sender.stop();
    await round;
    receiver.manner = 'read';
    await other.sender.round();
    expect([await sent(), one.failures()]).toEqual([7, 0]);
    expect(chainOf(receiver)).toEqual({ numbers: [...range(1, 5), ...range(1, 7)], head: await databaseHead() });
  });

  it('one whose lock is lost meanwhile does not move the cursor back', async () => {
    await append(3);
    const receiver = await receiverOf();
    receiver.manner = 'linger';
    const settings = settingsFor(receiver.port);
    const { pool } = installation;
    const one = senderFor(settings, { pool: installation.anotherPool(), bounds: { wholeMs: 3_000, settleMs: 50 } });
    const round = one.sender.round().catch(() => undefined);
    await expect.poll(() => receiver.messages.length, { timeout: 20_000 }).toBe(3);
    await pool.query(
      `select pg_terminate_backend(pid) from pg_locks where locktype = 'advisory' and pid <> pg_backend_pid()
          and database = (select oid from pg_database where datname = current_database())`,
    );
    await append(1);
    receiver.manner = 'read';
    await senderFor(settings).sender.round();
    expect(await sent()).toBe(4);
    await round;
    expect(await sent()).toBe(4);
    expect(chainOf(receiver).numbers).toEqual([1, 2, 3, 1, 2, 3, 4]);
  });
});
