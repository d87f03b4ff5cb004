import { describe, expect, it } from 'vitest';
import { parseJson } from '../src/json.ts';
import { parseStatusRequest } from '../src/status.ts';

function parse(body: unknown): ReturnType<typeof parseStatusRequest> {
  const json = parseJson(Buffer.from(JSON.stringify(body)));
  if (!json.ok) throw new Error(json.error.detail);
  return parseStatusRequest(json.value);
}

function pointers(body: unknown): readonly string[] {
  const parsed = parse(body);
  return parsed.ok ? [] : parsed.errors.map(({ pointer }) => pointer);
}

describe('a question for a status', () => {
  it.each([
    [{ event: 'evt_1_2' }, { by: 'event', event: 'evt_1_2' }],
    [
      { event: 'evt_1_2', user: '', reference: null },
      { by: 'event', event: 'evt_1_2' },
    ],
    [
      { user: 'ana', reference: 'R-1' },
      { by: 'reference', user: 'ana', reference: 'R-1' },
    ],
    [
      { user: 'ana', reference: '4111 1111 1111 1111' },
      { by: 'reference', user: 'ana', reference: '4111 1111 1111 1111' },
    ],
    [
      { user: 'ana', session: 's', channelId: 0 },
      { by: 'session', user: 'ana', session: 's', channelId: 0 },
    ],
    [
      { user: 'ana', session: '' },
      { by: 'session', user: 'ana', session: '', channelId: undefined },
    ],
  ])('%j is accepted', (body, request) => {
    expect(parse(body)).toEqual({ ok: true, request });
  });

  it.each([
    [{}, ['']],
    [[], ['']],
    [{ user: 'ana' }, ['']],
    [{ reference: 'R-1' }, ['/user']],
    [{ user: 'ana', reference: 'R-1', session: 's' }, ['/session']],
    [{ user: 'ana', reference: 'R-1', channelId: 1 }, ['/channelId']],
    [{ event: 'evt_1_2', user: 'ana', session: 's' }, ['/user', '/session']],
    [{ event: 'evt_1_2', sesion: 's' }, ['']],
    [{ user: 7, session: 's'.repeat(1_025), channelId: 1.5 }, ['/user', '/session', '/channelId']],
  ])('%j is refused with every mistake', (body, wrong) => {
    expect(pointers(body)).toEqual(wrong);
  });
});
