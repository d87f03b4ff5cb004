import { parseCidr } from '@ringfence/delivery';
import { beforeAll, describe, expect, it } from 'vitest';
import { systemResolver } from '../../src/deliver/transport/resolve-host.ts';
import { type MailSettings, sendMail, type SentMail } from '../../src/notify/mail-server.ts';
import { type Issued, testAuthority, type TestAuthority } from '../deliver/support/certificates.ts';
import { mailOf } from './support/notify-kit.ts';
import { smtpServer } from './support/smtp-server.ts';

let authority: TestAuthority;
let issued: Issued;
beforeAll(() => {
  authority = testAuthority('Mail CA');
  issued = authority.issue('IP:127.0.0.1');
});

const loopback = [parseCidr('127.0.0.0/8')!];
const owner = { name: 'acme', environment: 'production' } as const;
const request = {
  id: 'ntf_abcdefghijklmnopqrst',
  subject: 'Señal',
  text: '.\n..hidden\nlast line',
  to: ['desk@bank.example'],
  dateMs: Date.parse('2026-11-21T12:00:00Z'),
};

function send(
  settings: MailSettings,
  change: {
    readonly allow?: typeof loopback;
    readonly isOwn?: () => boolean;
    readonly to?: readonly string[];
    readonly stop?: AbortSignal;
  } = {},
): Promise<SentMail> {
  const { allow = loopback, isOwn = () => false, to = request.to, stop = new AbortController().signal } = change;
  return sendMail({ settings, rules: { resolve: systemResolver(), allow, isOwn }, owner }, { ...request, to }, stop);
}

const user = { user: 'ringfence', password: 'a secret of the mail server' };

describe('mail', () => {
  it.each(['starttls', 'implicit'] as const)(
    'is sent with %s, logged in, and its password is in no line',
    async (tls) => {
      const given = tls === 'implicit' ? { ...issued, implicit: true as const } : issued;
      const server = await smtpServer({ tls: given, ...user });
      const sent = await send(mailOf(server.port, { tls, caPem: authority.ca, ...user }));
      expect(sent).toMatchObject({ ok: true, refused: 0 });
      expect(server.mails).toMatchObject([{ isSecure: true, user: 'ringfence', to: ['desk@bank.example'] }]);
      const { data } = server.mails[0]!;
      expect(data).toMatch(/^Message-ID: <ntf_abcdefghijklmnopqrst@bank\.example>\r$/m);
      expect(data).toMatch(/^Auto-Submitted: auto-generated\r$/m);
      expect(data).toMatch(/^Date: Sat, 21 Nov 2026 12:00:00 \+0000\r$/m);
      expect(data.endsWith('.\r\n..hidden\r\nlast line')).toBe(true);
      const lines = sent.lines.join('\n');
      expect(lines).toContain('C: MAIL FROM:<ringfence@bank.example>');
      for (const secret of [user.password, Buffer.from(`\0ringfence\0${user.password}`).toString('base64')]) {
        expect(lines).not.toContain(secret);
      }
    },
  );

  it('does not leave, and neither does the password, without the TLS that is asked for', async () => {
    const server = await smtpServer(user);
    const sent = await send(mailOf(server.port, { tls: 'starttls', ...user }));
    expect(sent).toMatchObject({ ok: false, reason: 'tls' });
    expect(server.mails).toHaveLength(0);
    expect(server.said()).not.toContain('AUTH');
  });

  it('does not leave when the certificate is not trusted, or is of another host', async () => {
    const other = authority.issue('mail.other.example');
    for (const [tls, caPem] of [
      [issued, undefined],
      [other, authority.ca],
    ] as const) {
      const server = await smtpServer({ tls, ...user });
      expect(await send(mailOf(server.port, { tls: 'starttls', caPem, ...user }))).toMatchObject({
        ok: false,
        reason: 'tls',
      });
      expect(server.said()).not.toContain('AUTH');
    }
  });

  it('tells wrong credentials, refused recipients and a server that is gone apart', async () => {
    const server = await smtpServer({
      ...user,
      onRecipient: (to) => (to.startsWith('gone') ? '550 unknown' : '250 ok'),
    });
    const settings = mailOf(server.port, user);
    expect(await send({ ...settings, password: 'wrong' })).toMatchObject({
      ok: false,
      reason: 'auth',
      detail: 'SMTP 535',
    });
    expect(await send(settings, { to: ['gone@bank.example'] })).toMatchObject({ ok: false, reason: 'recipient' });
    expect(await send(settings, { to: ['gone@bank.example', 'desk@bank.example'] })).toMatchObject({
      ok: true,
      refused: 1,
    });
    await server.close();
    expect(await send(settings)).toMatchObject({ ok: false, reason: 'refused', detail: 'ECONNREFUSED' });
  });

  it('goes to no address that the guard refuses, nor to this service itself', async () => {
    const server = await smtpServer();
    const refused = await send(mailOf(server.port), { allow: [] });
    expect(refused).toMatchObject({ ok: false, reason: 'blocked' });
    const named = await send(mailOf(server.port, { host: 'localhost' }), { allow: [] });
    expect(named).toMatchObject({ ok: false, reason: 'blocked' });
    expect(await send(mailOf(server.port), { isOwn: () => true })).toMatchObject({ ok: false, reason: 'blocked' });
    expect(server.said()).toBe('');
  });

  it('is given up when the process stops, before a server that says nothing', async () => {
    const server = await smtpServer({ silent: true });
    const stop = new AbortController();
    const sending = send(mailOf(server.port), { stop: stop.signal });
    stop.abort();
    expect(await sending).toMatchObject({ ok: false, reason: 'interrupted' });
  });
});
