import { stripVTControlCharacters } from 'node:util';
import { describe, expect, it } from 'vitest';
import { makeLogger } from '../../../src/platform/observability/logger.ts';
import { serializeError } from '../../../src/platform/observability/serialize-error.ts';

function lines(write: (log: ReturnType<typeof makeLogger>) => void, human = false): readonly string[] {
  const written: string[] = [];
  write(makeLogger({ level: 'info', to: { write: (line) => void written.push(line) }, human }));
  return written;
}

describe('a line of the log', () => {
  it('is one JSON object with time, level and message', () => {
    const [line] = lines((log) => log.info({ port: 8_080 }, 'listening'));
    expect(JSON.parse(line!)).toMatchObject({
      level: 'info',
      msg: 'listening',
      port: 8_080,
      time: expect.stringMatching(/Z$/),
    });
  });

  it.each([
    ['a license key', { licenseKey: 'canary' }],
    ['a header', { request: { headers: { authorization: 'Bearer canary' } } }],
    ['an event', { event: { user: 'canary', publicIp: 'canary', data: 'canary' } }],
    ['an operation', { operation: { account: { client: 'canary' }, order: { amount: 'canary' } } }],
    ['a body', { body: '{"user":"canary"}' }],
  ])('does not contain %s', (_, fields) => {
    const [line] = lines((log) => log.info(fields, 'something happened'));
    expect(line).not.toContain('canary');
    expect(line).toContain('[redacted]');
  });

  it('contains the message, code, stack and causes of an error, but none of its other properties', () => {
    const cause = Object.assign(new Error('duplicate key'), { code: '23505', detail: 'Key (user)=(canary) exists' });
    const error = Object.assign(new Error('could not store', { cause }), { parameters: ['canary'] });
    const [line] = lines((log) => log.error({ err: error }, 'failed'));
    expect(JSON.parse(line!)).toMatchObject({
      err: {
        message: 'could not store',
        stack: expect.any(String),
        cause: { message: 'duplicate key', code: '23505' },
      },
    });
    expect(line).not.toContain('canary');
  });

  it('contains the same for an error from another thread, which is a plain object', () => {
    const cause = new Error('duplicate key');
    const error = Object.assign(new RangeError('could not store', { cause }), {
      code: '23505',
      parameters: ['canary'],
    });
    const plain = structuredClone(serializeError(error));
    const [here] = lines((log) => log.error({ err: error }, 'failed'));
    const [fromThread] = lines((log) => log.error({ err: plain }, 'failed'));
    expect(JSON.parse(fromThread!).err).toEqual(JSON.parse(here!).err);
    expect(plain).toMatchObject({ name: 'RangeError', message: 'could not store', code: '23505' });
    expect(JSON.stringify(plain)).not.toContain('canary');
  });

  it('is a readable line in human form, with the error below it', () => {
    const [line] = lines((log) => log.warn({ host: '::1', err: new Error('gone') }, 'not listening'), true);
    const [first, second] = stripVTControlCharacters(line!).split('\n');
    expect(first).toMatch(/^\d\d:\d\d:\d\d warn {2}not listening host=::1$/);
    expect(second).toBe('         Error: gone');
  });
});
