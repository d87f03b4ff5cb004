import { describe, expect, it } from 'vitest';
import {
  type ActionRequest,
  parseActionRequest,
  parseActionResponse,
  printActionRequest,
  responseMessageLengthMax,
} from '../src/webhook.ts';

const request: ActionRequest = {
  action: 2,
  channel: 1,
  date: '2026-11-21T10:15:30-06:00',
  message: '<p>"quoted" – ünïcode</p>',
  reason: 101,
  session: '',
  client: 'ab12',
};

describe('printActionRequest and parseActionRequest', () => {
  it('prints the members of the specification, in its order', () => {
    expect(printActionRequest({ ...request, clientRSA: 'YQ==' })).toBe(
      '{"action":2,"channel":1,"date":"2026-11-21T10:15:30-06:00","message":"<p>\\"quoted\\" – ünïcode</p>","reason":101,' +
        '"session":"","client":"ab12","clientRSA":"YQ=="}',
    );
    expect(printActionRequest(request)).not.toContain('clientRSA');
  });

  it('reads what was printed', () => {
    for (const sent of [request, { ...request, clientRSA: 'YQ==' }]) {
      expect(parseActionRequest(printActionRequest(sent))).toStrictEqual({ ok: true, request: sent });
    }
    const text = printActionRequest(request).replace('{', '{"new":1,"clientRSA":null,');
    expect(parseActionRequest(new TextEncoder().encode(text))).toStrictEqual({ ok: true, request });
  });

  it('tells all that is wrong', () => {
    const result = parseActionRequest('{"action":0,"channel":"1","date":null,"message":"","reason":1.5}');
    const errors = result.ok ? [] : result.errors;
    expect(errors.map((error) => error.pointer)).toEqual([
      '/action',
      '/channel',
      '/date',
      '/reason',
      '/session',
      '/client',
    ]);
    expect(parseActionRequest('{"action":1,"action":2}').ok).toBe(false);
    expect(parseActionRequest('[]').ok).toBe(false);
  });
});

describe('parseActionResponse', () => {
  it.each([
    ['{"code":1}', { code: 1 }],
    ['{"code":0,"message":"no such session"}', { code: 0, message: 'no such session' }],
    ['{"code":1.0,"message":""}', { code: 1 }],
    ['{"code":1,"message":null,"extra":{"a":[1]}}', { code: 1 }],
    ['{"code":1,"message":{"text":"done"}}', { code: 1 }],
    ['\uFEFF{"code":1}', { code: 1 }],
  ])('reads %s', (text, response) => {
    expect(parseActionResponse(new TextEncoder().encode(text))).toStrictEqual({ ok: true, response });
  });

  it('cuts a message that is too long, not within a character', () => {
    const result = parseActionResponse(
      JSON.stringify({ code: 1, message: `${'x'.repeat(responseMessageLengthMax - 1)}😀` }),
    );
    expect(result).toMatchObject({ ok: true, response: { code: 1, message: expect.stringMatching(/^x+\uFFFD$/) } });
  });

  it.each([
    ['', ''],
    ['OK', ''],
    ['[]', ''],
    ['1', ''],
    ['null', ''],
    ['{}', '/code'],
    ['{"code":2}', '/code'],
    ['{"code":-1}', '/code'],
    ['{"code":"1"}', '/code'],
    ['{"code":true}', '/code'],
    ['{"code":null}', '/code'],
    ['{"code":[1]}', '/code'],
    ['{"code":1e-400}', '/code'],
    ['{"code":0,"code":1}', '/code'],
    ['{"code":1,"__proto__":{"code":1}}', '/__proto__'],
    ['{"code":1}<!-- -->', ''],
  ])('refuses %j', (text, pointer) => {
    expect(parseActionResponse(text)).toMatchObject({ ok: false, error: { pointer } });
  });
});
