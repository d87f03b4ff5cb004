import { describe, expect, it } from 'vitest';
import fc from 'fast-check';
import { auditHash } from '../../../../src/access/audit/audit-entry.ts';
import type { AuditRow } from '../../../../src/access/audit/audit-log.ts';
import { framed, type MessageForm, syslogMessage } from '../../../../src/access/audit/syslog/syslog-message.ts';
import { release } from '../../../../src/platform/release.ts';
import { FrameReader, readMessage } from './support/read-syslog.ts';

const form: MessageForm = {
  format: 'rfc5424',
  facility: 'audit',
  messageBytes: 8_192,
  enterpriseNumber: 32_473,
  hostName: 'fraud-1.bank.example',
};
const cef: MessageForm = { ...form, format: 'cef' };

const row: AuditRow = {
  seq: 7,
  at: new Date('2026-11-28T10:00:00.250Z'),
  workspace_id: 'w1',
  actor_kind: 'person',
  actor: 'ana@bank.example',
  action: 'changeWorkspace',
  target: 'acme',
  address: '10.1.2.3',
  request_id: 'r-1',
  detail: '{"after":{"name":"Café"}}',
  hash: Buffer.alloc(32, 0xab),
  signature: Buffer.alloc(32, 0xcd),
};

describe('a message of RFC 5424', () => {
  it('has the entry in its structured data, and the details in its text', () => {
    const read = readMessage(syslogMessage(row, form));
    expect(read).toMatchObject({
      facility: 13,
      severity: 5,
      timestamp: '2026-11-28T10:00:00.250Z',
      hostName: 'fraud-1.bank.example',
      application: 'ringfence',
      processId: '-',
      messageId: 'changeWorkspace',
      text: row.detail,
      hasMark: true,
    });
    expect(read.data!.id).toBe('audit@32473');
    expect(Object.fromEntries(read.data!.members)).toEqual({
      entry: '7',
      workspace: 'w1',
      actorKind: 'person',
      actor: 'ana@bank.example',
      action: 'changeWorkspace',
      target: 'acme',
      outcome: 'success',
      address: '10.1.2.3',
      requestId: 'r-1',
      hash: 'ab'.repeat(32),
      signature: 'cd'.repeat(32),
    });
  });

  it('lacks what the entry does not have', () => {
    const { members } = readMessage(
      syslogMessage({ ...row, workspace_id: null, target: null, signature: null }, form),
    ).data!;
    expect([...members.keys()]).toEqual([
      'entry',
      'actorKind',
      'actor',
      'action',
      'outcome',
      'address',
      'requestId',
      'hash',
    ]);
  });

  it.each([
    { action: 'logIn.refused', detail: '{}', is: ['failure', 4] },
    { action: 'openId.failed', detail: '{}', is: ['failure', 4] },
    { action: 'audit.headWrong', detail: '{}', is: ['failure', 1] },
    { action: 'changeWorkspace', detail: '{"unfinished":true}', is: ['unknown', 4] },
    { action: 'changeWorkspace', detail: '{"unfinished":false}', is: ['success', 5] },
  ])('of $action $detail has the outcome and severity $is', ({ action, detail, is }) => {
    const read = readMessage(syslogMessage({ ...row, action, detail }, form));
    expect([read.data!.members.get('outcome'), read.severity]).toEqual(is);
  });

  it('escapes quotes, backslashes and brackets', () => {
    const actor = String.raw`a"b\c]d=e|f`;
    const message = syslogMessage({ ...row, actor }, form);
    expect(message.toString()).toContain(String.raw`actor="a\"b\\c\]d=e|f"`);
    expect(readMessage(message).data!.members.get('actor')).toBe(actor);
  });

  it('has no control characters, and no host or operation outside ASCII in its header', () => {
    const odd = { ...row, actor: 'a\nb\u001B[0m', action: 'größer als dreiunddreißig Zeichen!!' };
    const read = readMessage(syslogMessage(odd, { ...form, hostName: 'höst' }));
    expect(read.data!.members.get('actor')).toBe('a\uFFFDb\uFFFD[0m');
    expect(read.data!.members.get('action')).toBe(odd.action);
    expect([read.hostName, read.messageId]).toEqual(['h?st', 'gr??er?als?dreiunddrei?ig?Zeiche']);
  });

  it('has what recomputes the hash', () => {
    const before = Buffer.alloc(32, 1);
    const { seq, actor, action, address } = row;
    const entry = {
      seq,
      actor,
      action,
      address,
      atMs: row.at.getTime(),
      workspaceId: 'w1',
      actorKind: row.actor_kind,
      target: undefined,
      requestId: 'r-1',
    };
    const hash = auditHash(before, entry, row.detail);
    const { timestamp, text, data } = readMessage(syslogMessage({ ...row, target: null, hash }, form));
    const of = (name: string): string | undefined => data!.members.get(name);
    const received = {
      seq: Number(of('entry')),
      atMs: Date.parse(timestamp),
      workspaceId: of('workspace'),
      actor: of('actor')!,
      actorKind: of('actorKind') as 'person',
      action: of('action')!,
      target: of('target'),
      address: of('address')!,
      requestId: of('requestId')!,
    };
    expect(auditHash(before, received, text).toString('hex')).toBe(of('hash'));
  });
});

describe('a message that would be too long', () => {
  const long = { ...row, detail: JSON.stringify({ text: 'é'.repeat(9_000) }) };

  it.each([2_048, 8_192])('is cut to %i bytes in its details, with a mark', (messageBytes) => {
    const message = syslogMessage(long, { ...form, messageBytes });
    expect(message.length).toBeLessThanOrEqual(messageBytes);
    expect(message.length).toBeGreaterThan(messageBytes - 4);
    const { text, data } = readMessage(message);
    expect(long.detail.startsWith(text.slice(0, -1))).toBe(true);
    expect([text.at(-1), data!.members.get('cut')]).toEqual(['…', 'true']);
  });

  it('keeps number, hash and signature whatever the texts are, in both formats', () => {
    const text = fc.string({ unit: 'grapheme', maxLength: 3_000 });
    const texts = fc.record({
      workspace_id: text,
      actor: text,
      action: text,
      target: text,
      address: text,
      request_id: text,
    });
    fc.assert(
      fc.property(texts, fc.constantFrom(2_048, 8_192), (given, messageBytes) => {
        const odd = { ...long, ...given, seq: Number.MAX_SAFE_INTEGER };
        const host = { hostName: 'h'.repeat(300), messageBytes, enterpriseNumber: 4_294_967_295 };
        const structured = syslogMessage(odd, { ...form, ...host });
        expect(structured.length).toBeLessThanOrEqual(messageBytes);
        const { members } = readMessage(structured).data!;
        expect([members.get('entry'), members.get('hash'), members.get('signature'), members.get('cut')]).toEqual([
          String(Number.MAX_SAFE_INTEGER),
          'ab'.repeat(32),
          'cd'.repeat(32),
          'true',
        ]);
        const common = syslogMessage(odd, { ...cef, ...host });
        expect(common.length).toBeLessThanOrEqual(messageBytes);
        const { extension } = readCef(readMessage(common).text);
        expect([extension.get('externalId'), extension.get('cs1'), extension.get('cs2')]).toEqual([
          String(Number.MAX_SAFE_INTEGER),
          'ab'.repeat(32),
          'cd'.repeat(32),
        ]);
      }),
      { seed: 1, numRuns: 300 },
    );
  });
});

describe('a CEF message', () => {
  it('has the entry in its extension', () => {
    const read = readMessage(syslogMessage(row, cef));
    expect([read.data, read.hasMark, read.facility, read.messageId]).toEqual([undefined, false, 13, 'changeWorkspace']);
    const { header, extension } = readCef(read.text);
    expect(header).toEqual(['0', 'Ringfence', 'Ringfence', release, 'changeWorkspace', 'changeWorkspace', '3']);
    expect(Object.fromEntries(extension)).toEqual({
      externalId: '7',
      rt: String(row.at.getTime()),
      outcome: 'success',
      cs1Label: 'hash',
      cs1: 'ab'.repeat(32),
      cs2Label: 'signature',
      cs2: 'cd'.repeat(32),
      cs3Label: 'workspace',
      cs3: 'w1',
      cs4Label: 'target',
      cs4: 'acme',
      cs5Label: 'actorKind',
      cs5: 'person',
      suser: 'ana@bank.example',
      src: '10.1.2.3',
      requestContext: 'r-1',
      cs6Label: 'details',
      cs6: row.detail,
    });
  });

  it('escapes bars and backslashes in its header, and equal signs, backslashes and line breaks in its extension', () => {
    const odd = { ...row, action: String.raw`a|b\c=d`, actor: 'x=y\\z|\r\nCEF:0|w', detail: String.raw`{"a":"b=\\n"}` };
    const { text } = readMessage(syslogMessage(odd, cef));
    expect(text).toContain(String.raw`|a\|b\\c=d|a\|b\\c=d|3|`);
    expect(text).toContain(String.raw` suser=x\=y\\z|\r\nCEF:0|w src=`);
    const { header, extension } = readCef(text);
    expect(header.slice(4, 6)).toEqual([odd.action, odd.action]);
    expect([extension.get('suser'), extension.get('cs6')]).toEqual([odd.actor, odd.detail]);
  });

  it.each([
    ['2001:db8::1', 'c6a2'],
    ['command line of db-1', 'shost'],
  ])('has the address %s as %s', (address, name) => {
    const { extension } = readCef(readMessage(syslogMessage({ ...row, address }, cef)).text);
    expect(extension.get(name)).toBe(address);
  });
});

it('a frame counts bytes, not characters', () => {
  const messages = [syslogMessage(row, form), syslogMessage({ ...row, seq: 8 }, form)];
  const reader = new FrameReader();
  const stream = Buffer.concat(messages.map(framed));
  const read = Array.from(stream, (byte) => reader.take(Uint8Array.of(byte))).flat();
  expect(read).toEqual(messages);
  expect(reader.left).toBe(0);
});

/** A reader of the Common Event Format: escapes are taken back, keys end at a bare equal sign. */
function readCef(text: string): {
  readonly header: readonly string[];
  readonly extension: ReadonlyMap<string, string>;
} {
  const found = /^CEF:(?<header>(?:(?:[^\\|]|\\[\\|])*\|){7})(?<extension>.*)$/su.exec(text)!.groups!;
  const header = [...found['header']!.matchAll(/((?:[^\\|]|\\[\\|])*)\|/gu)].map(([, part]) =>
    part!.replaceAll(/\\([\\|])/g, '$1'),
  );
  const members = [...found['extension']!.matchAll(/(?:^| )(\w+)=((?:[^\\=]|\\[\\=nr])*)(?= \w+=|$)/gsu)];
  const breaks: Readonly<Record<string, string>> = { n: '\n', r: '\r' };
  const extension = new Map(
    members.map(([, name, value]) => [
      name!,
      value!.replaceAll(/\\([\\=nr])/g, (_, sign: string) => breaks[sign] ?? sign),
    ]),
  );
  return { header, extension };
}
