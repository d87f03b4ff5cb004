import type { ProblemDetails } from '@ringfence/contract';
import { describe, expect, it } from 'vitest';
import { doorKit, operation, problemOf, records } from '../support/door-kit.ts';

describe('an operation that does not match its schema is refused', () => {
  it.each([
    [{ channelId: 1 }, ['/timestamp']],
    [{ channelId: 2 ** 31, timestamp: 'now' }, ['/channelId', '/timestamp']],
    [{ ...operation, timestamp: '2026-W47-6' }, ['/timestamp']],
    [{ ...operation, timestamp: '1999-12-31T23:59:59Z' }, ['/timestamp']],
    [{ ...operation, order: { amount: '10', currency: 5 } }, ['/order/amount', '/order/currency']],
    [{ ...operation, transaction: { details: { a: 1 } } }, ['/transaction/details/a']],
    [{ ...operation, account: 'x', creditCard: { bin: '4111111111111111' } }, ['/account', '/creditCard/bin']],
  ])('%j', async (body, pointers) => {
    const kit = await doorKit();
    const response = await kit.post('operation', body);
    expect(response.statusCode).toBe(422);
    expect(problemOf(response).errors?.map((error) => error.pointer)).toEqual(pointers);
    expect(await records(kit)).toEqual([]);
  });

  it('and the answer states that there may be more wrong members than it lists', async () => {
    const kit = await doorKit();
    const numbers = (count: number): object => Object.fromEntries(Array.from({ length: count }, (_, at) => [at, at]));
    const wrong = async (count: number): Promise<ProblemDetails> =>
      problemOf(await kit.post('operation', { ...operation, transaction: { details: numbers(count) } }));
    expect(await wrong(19)).toMatchObject({ detail: '19 members are wrong.' });
    const many = await wrong(150);
    expect(many.detail).toBe('At least 20 members are wrong; 20 of them are listed.');
    expect(many.errors).toHaveLength(20);
  });

  it('when it has card numbers in free text, and the workspace refuses them', async () => {
    const kit = await doorKit({ settings: { cards: 'refuse' } });
    const response = await kit.post('operation', { ...operation, transaction: { description: '4111-1111-1111-1111' } });
    expect(response.statusCode).toBe(422);
    expect(problemOf(response).errors).toMatchObject([{ pointer: '/transaction/description' }]);
    expect(response.body).not.toContain('4111-');
  });
});
