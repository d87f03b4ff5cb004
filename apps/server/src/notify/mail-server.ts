/** The mail server of the configuration, by which all e-mail leaves. */
import { isIP } from 'node:net';
import { createTransport } from 'nodemailer';
import { type FailureReason, rangesOf, type WebhookOwner } from '@ringfence/delivery';
import { deadlineMs } from '../deliver/bounds.ts';
import { ConnectFailure } from '../deliver/transport/connect-failure.ts';
import { type ConnectionRules, type ConnectionStep, openGuarded } from '../deliver/transport/guarded-connector.ts';
import { transportFailure } from '../deliver/transport/transport-failure.ts';
import type { Mail } from './message-forms.ts';

/** Why mail was not sent: as for webhooks; `auth`, wrong credentials; `recipient`, every recipient was refused. */
export type MailFailure = FailureReason | 'auth' | 'recipient';

export interface MailSettings {
  readonly host: string;
  readonly port: number;
  /** `none`: plain text, which the configuration allows for loopback, or by this word. */
  readonly tls: 'starttls' | 'implicit' | 'none';
  readonly user: string | undefined;
  readonly password: string | undefined;
  /** The sender's address. */
  readonly from: string;
  /** PEM. If set, only these authorities are trusted. */
  readonly caPem: string | undefined;
}

export interface MailRequest extends Mail {
  /** Of the notification: makes the Message-ID, so that a mail system drops repeats. */
  readonly id: string;
  readonly to: readonly string[];
  readonly dateMs: number;
}

/** What was said, without credentials and content. */
export interface MailExchange {
  readonly lines: readonly string[];
  readonly steps: readonly ConnectionStep[];
}

export type SentMail = MailExchange &
  (
    | { readonly ok: true; readonly refused: number }
    | { readonly ok: false; readonly reason: MailFailure; readonly detail: string }
  );

/** Lines of a conversation that are kept. */
const linesMax = 60;
const lineLengthMax = 300;

/** Sends one message over a connection of its own, which the address guard checks like that of a webhook. */
export async function sendMail(
  {
    settings,
    rules,
    owner,
  }: { readonly settings: MailSettings; readonly rules: ConnectionRules; readonly owner: WebhookOwner },
  request: MailRequest,
  stop: AbortSignal,
): Promise<SentMail> {
  const steps: ConnectionStep[] = [];
  const lines: string[] = [];
  const exchange = { steps, lines };
  const ended = AbortSignal.any([AbortSignal.timeout(deadlineMs), stop]);
  let close = (): void => {};
  try {
    const target = { host: settings.host, port: settings.port, secure: false };
    const connection = await openGuarded(target, {
      rules: { ...rules, allow: rangesOf(owner, rules.allow) },
      httpsRequired: false,
      proxy: undefined,
      tls: { ca: undefined, cert: undefined, key: undefined },
      report: (step) => steps.push(step),
    });
    close = () => void connection.destroy();
    ended.addEventListener('abort', close, { once: true });
    ended.throwIfAborted();
    const mailer = createTransport({
      ...connectionOptions(settings),
      getSocket: (_: unknown, done: (error: Error | null, found: object) => void) => done(null, { connection }),
      logger: loggerInto(lines),
      transactionLog: true,
    });
    const { rejected } = await mailer.sendMail({
      from: settings.from,
      to: [...request.to],
      subject: request.subject,
      text: request.text,
      date: new Date(request.dateMs),
      messageId: `<${request.id}@${settings.from.split('@').at(-1)!.replace('>', '')}>`,
      headers: { 'Auto-Submitted': 'auto-generated', 'X-Auto-Response-Suppress': 'All' },
      disableFileAccess: true,
      disableUrlAccess: true,
    });
    return { ...exchange, ok: true, refused: rejected.length };
  } catch (error) {
    const { reason, detail } = stop.aborted
      ? ({ reason: 'interrupted', detail: 'this process is stopping' } as const)
      : ended.aborted
        ? ({ reason: 'timeout', detail: 'no complete exchange in time' } as const)
        : mailFailure(error);
    return { ...exchange, ok: false, reason, detail };
  } finally {
    ended.removeEventListener('abort', close);
    close();
  }
}

function connectionOptions({ host, port, tls, user, password, caPem }: MailSettings) {
  return {
    host,
    port,
    secure: tls === 'implicit',
    requireTLS: tls === 'starttls',
    ignoreTLS: tls === 'none',
    greetingTimeout: deadlineMs,
    socketTimeout: deadlineMs,
    socketCloseTimeout: 0,
    maxResponseSize: 64 * 1_024,
    tls: {
      minVersion: 'TLSv1.2' as const,
      rejectUnauthorized: true,
      host,
      ...(isIP(host) === 0 ? { servername: host } : {}),
      ...(caPem === undefined ? {} : { ca: caPem }),
    },
    ...(user === undefined ? {} : { auth: { user, pass: password ?? '' } }),
  };
}

/** Collects what client and server say; the library has replaced credentials. */
function loggerInto(lines: string[]) {
  const note = (entry: unknown, ...rest: unknown[]): void => {
    const { tnx } = entry as { readonly tnx?: string };
    if ((tnx !== 'client' && tnx !== 'server') || lines.length >= linesMax) return;
    const [text = '', ...values] = rest.map(String);
    const said = values.reduce((line, value) => line.replace('%s', value), text);
    lines.push(`${tnx === 'client' ? 'C' : 'S'}: ${said}`.slice(0, lineLengthMax));
  };
  return { level: () => {}, trace: note, debug: note, info: note, warn: note, error: note, fatal: note };
}

/** The reason of a failed exchange; `detail` is a code, never an address or what the server wrote. */
function mailFailure(error: unknown): { readonly reason: MailFailure; readonly detail: string } {
  if (error instanceof ConnectFailure) return { reason: error.reason, detail: error.message };
  const { code, responseCode } = error as { readonly code?: string; readonly responseCode?: number };
  const detail = responseCode === undefined ? (code ?? 'no answer') : `SMTP ${responseCode}`;
  switch (code) {
    case 'EAUTH':
    case 'ENOAUTH':
      return { reason: 'auth', detail };
    case 'EENVELOPE':
      return { reason: 'recipient', detail };
    case 'ETLS':
      return { reason: 'tls', detail };
    case 'ETIMEDOUT':
      return { reason: 'timeout', detail };
    case 'ECONNECTION':
    case 'ESOCKET':
      return responseCode === undefined ? ofSocket(error, detail) : { reason: 'status', detail };
    case 'EMESSAGE':
    case 'ESTREAM':
      return { reason: 'status', detail };
    default:
      return responseCode === undefined ? ofSocket(error, detail) : { reason: 'status', detail };
  }
}

function ofSocket(error: unknown, detail: string): { readonly reason: MailFailure; readonly detail: string } {
  const {
    errno,
    cause,
    message = '',
  } = error as { readonly errno?: unknown; readonly cause?: unknown; readonly message?: string };
  const found = transportFailure(cause ?? { code: typeof errno === 'string' ? errno : detail });
  if (/certificate|self.signed|altnames|SSL|TLS/i.test(message))
    return { reason: 'tls', detail: 'the certificate or the handshake' };
  return found.reason === 'protocol' ? { reason: 'reset', detail } : found;
}
