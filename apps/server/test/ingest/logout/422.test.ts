import { describe, expect, it } from 'vitest';
import { doorKit, problemOf } from '../support/door-kit.ts';

describe('a logout that does not match its schema is refused', () => {
  it.each([
    [{ channelId: 1, user: 'u' }, ['/session']],
    [{ channelId: 1, user: 'u', session: null }, ['/session']],
    [{ user: 'u', session: 's', data: 1 }, ['/channelId', '/data']],
    [{ channelId: 1, user: 'u'.repeat(257), session: 's' }, ['/user']],
    [[], ['']],
  ])('%j', async (body, pointers) => {
    const kit = await doorKit();
    const response = await kit.post('logout', body);
    expect(response.statusCode).toBe(422);
    expect(problemOf(response).errors?.map((error) => error.pointer)).toEqual(pointers);
  });
});
