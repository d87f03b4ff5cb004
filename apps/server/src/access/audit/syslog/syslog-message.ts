/**
 * An entry of the audit log as a syslog message:
 *
 *     <109>1 2026-11-28T10:00:00.000Z host ringfence - changeWorkspace [audit@32473 entry="7" ... hash="9f.."] BOM{..}
 *     <109>1 2026-11-28T10:00:00.000Z host ringfence - changeWorkspace - CEF:0|Ringfence|Ringfence|0.1|changeWorkspace|..
 *
 * With the structured data and the details a receiver can recompute the chain of hashes, as `auditHash` does.
 * Source: RFC 5424; ArcSight Common Event Format, version 0.1 (23).
 */
import { isIP } from 'node:net';
import { release } from '../../../platform/release.ts';
import { type AuditRow, headWrong, withoutDetail } from '../audit-log.ts';
import { fitText, withoutControl } from './fit-text.ts';
import { facilities, type SyslogSettings } from './syslog-settings.ts';

export type MessageForm = Pick<SyslogSettings, 'format' | 'facility' | 'messageBytes' | 'enterpriseNumber'> & {
  /** The name of this machine. */
  readonly hostName: string;
};

type Outcome = 'success' | 'failure' | 'unknown';

/** Levels of RFC 5424, table 2, and what CEF calls them. */
const severities = {
  alert: { code: 1, cef: 10 },
  warning: { code: 4, cef: 6 },
  notice: { code: 5, cef: 3 },
} as const;

const byteOrderMark = '\uFEFF';
/** RFC 5424, section 6: the longest HOSTNAME and MSGID. */
const hostNameMax = 255;
const messageIdMax = 32;
/**
 * What a message has beside its texts: a header of at most 330 bytes, the names of all members with hash, signature and
 * number (CEF: 390 bytes), and the marks of what was cut.
 */
const fixedBytes = 760;
/** Texts of an entry beside its details. Each gets the same part of a message, so that hash and signature always fit. */
const texts = 6;
/** Bounds of the Common Event Format for a custom text. */
const cefTextMax = 4_000;

export function syslogMessage(row: AuditRow, form: MessageForm): Buffer {
  const outcome = outcomeOf(row);
  const severity = severities[row.action === headWrong ? 'alert' : outcome === 'success' ? 'notice' : 'warning'];
  const priority = facilities[form.facility] * 8 + severity.code;
  const host = printable(form.hostName, hostNameMax);
  const start = `<${priority}>1 ${row.at.toISOString()} ${host} ringfence - ${printable(row.action, messageIdMax)} `;
  const what = { row, outcome, start, form };
  return Buffer.from(form.format === 'cef' ? cefMessage(what, severity.cef) : structuredMessage(what));
}

/** RFC 5425, section 4.3: octet counting. */
export function framed(message: Buffer): Buffer {
  return Buffer.concat([Buffer.from(`${message.length} `), message]);
}

interface Parts {
  readonly row: AuditRow;
  readonly outcome: Outcome;
  /** The header with its last blank. */
  readonly start: string;
  readonly form: MessageForm;
}

function structuredMessage({ row, outcome, start, form }: Parts): string {
  const { seq, workspaceId, actorKind, actor, action, target, address, requestId } = withoutDetail(row);
  const escape = (text: string): string => withoutControl(text).replaceAll(/["\\\]]/g, String.raw`\$&`);
  const textMax = textBytesMax(form);
  const members: readonly (readonly [name: string, value: string | undefined])[] = [
    ['entry', String(seq)],
    ['workspace', workspaceId],
    ['actorKind', actorKind],
    ['actor', actor],
    ['action', action],
    ['target', target],
    ['outcome', outcome],
    ['address', address],
    ['requestId', requestId],
    ['hash', row.hash.toString('hex')],
    ['signature', row.signature?.toString('hex')],
  ];
  const written = members.flatMap(([name, value]) => {
    if (value === undefined) return [];
    const fitted = fitText(value, escape, textMax);
    return [{ text: ` ${name}="${fitted.text}"`, isCut: fitted.isCut }];
  });
  const data = `[audit@${form.enterpriseNumber}${written.map(({ text }) => text).join('')}`;
  const before = (isCut: boolean): string => `${start}${data}${isCut ? ' cut="true"' : ''}] ${byteOrderMark}`;
  const detail = fitText(row.detail, withoutControl, form.messageBytes - Buffer.byteLength(before(true)));
  return before(detail.isCut || written.some(({ isCut }) => isCut)) + detail.text;
}

/** Without a byte order mark: receivers find the message by its first letters. */
function cefMessage({ row, outcome, start, form }: Parts, severity: number): string {
  const { seq, atMs, workspaceId, actorKind, actor, action, target, address, requestId } = withoutDetail(row);
  const textMax = textBytesMax(form);
  const inHeader = fitText(action, escapeCefHeader, textMax).text;
  const members: readonly (readonly [name: string, value: string | undefined])[] = [
    ['externalId', String(seq)],
    ['rt', String(atMs)],
    ['outcome', outcome],
    ['cs1Label', 'hash'],
    ['cs1', row.hash.toString('hex')],
    ...labelled('cs2', 'signature', row.signature?.toString('hex')),
    ...labelled('cs3', 'workspace', workspaceId),
    ...labelled('cs4', 'target', target),
    ...labelled('cs5', 'actorKind', actorKind),
    ['suser', actor],
    [isIP(address) === 4 ? 'src' : isIP(address) === 6 ? 'c6a2' : 'shost', address],
    ['requestContext', requestId],
  ];
  const shown = members
    .filter(([, value]) => value !== undefined && value !== '')
    .map(([name, value]) => `${name}=${fitText(value!, escapeCefValue, textMax).text}`);
  const before = `${start}- CEF:0|Ringfence|Ringfence|${escapeCefHeader(release)}|${inHeader}|${inHeader}|${severity}|${shown.join(' ')} cs6Label=details cs6=`;
  const room = Math.min(cefTextMax, form.messageBytes - Buffer.byteLength(before));
  return before + fitText(row.detail, escapeCefValue, room).text;
}

function labelled(name: string, label: string, value: string | undefined): readonly (readonly [string, string])[] {
  return value === undefined
    ? []
    : [
        [`${name}Label`, label],
        [name, value],
      ];
}

function escapeCefHeader(text: string): string {
  return withoutControl(text).replaceAll(/[\\|]/g, String.raw`\$&`);
}

/** Line breaks have escapes of their own; the details, which are JSON, have none. */
function escapeCefValue(text: string): string {
  const escaped = text.replaceAll(/[\\=]/g, String.raw`\$&`).replaceAll('\n', String.raw`\n`);
  return withoutControl(escaped.replaceAll('\r', String.raw`\r`));
}

function textBytesMax({ messageBytes }: MessageForm): number {
  return Math.floor((messageBytes - fixedBytes) / texts);
}

function outcomeOf({ action, detail }: AuditRow): Outcome {
  if (/(?:failed|refused|Wrong)$/.test(action)) return 'failure';
  return (JSON.parse(detail) as { unfinished?: unknown }).unfinished === true ? 'unknown' : 'success';
}

/** PRINTUSASCII of RFC 5424; `-` for nothing. */
function printable(text: string, lengthMax: number): string {
  return text.replaceAll(/[^!-~]/g, '?').slice(0, lengthMax) || '-';
}
