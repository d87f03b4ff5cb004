import { createSecretKey, randomBytes } from 'node:crypto';
import { LogUnavailableError, StaleGenerationError } from '@ringfence/log';
import { describe, expect, it } from 'vitest';
import { doorKit, operation, opened, problemOf, records } from '../support/door-kit.ts';

describe('an operation that the log cannot store', () => {
  it('is answered 503 with Retry-After, never 200', async () => {
    const kit = await doorKit({ append: () => Promise.reject(new LogUnavailableError('the database is away')) });
    const response = await kit.post('operation', operation);
    expect(response.statusCode).toBe(503);
    expect(response.headers['retry-after']).toBe('1');
    expect(problemOf(response)).toMatchObject({ code: 'log.unavailable' });
    expect(response.body).not.toContain('database is away');
    expect(kit.refused).toMatchObject([{ status: 503, workspaceId: kit.workspace.id }]);
  });

  it('is answered the same when the keys of clients cannot be read', async () => {
    const kit = await doorKit();
    kit.subjects.ofClient = () => Promise.reject(new Error('connect ECONNREFUSED'));
    expect((await kit.post('operation', operation)).statusCode).toBe(503);
  });

  it('is answered within 2 s when the database does not return the keys of clients', async () => {
    const kit = await doorKit();
    kit.subjects.ofClient = () => new Promise(() => {});
    const startMs = performance.now();
    const response = await kit.post('operation', operation);
    expect(performance.now() - startMs).toBeLessThan(2_000);
    expect(response.statusCode).toBe(503);
    expect(problemOf(response)).toMatchObject({ code: 'log.unavailable' });
  });

  it('is logged without its request id, so that equal lines can be counted', async () => {
    const cause = new LogUnavailableError('away');
    const kit = await doorKit({ append: () => Promise.reject(cause) });
    for (let count = 0; count < 2; count++) await kit.post('operation', operation);
    expect(kit.errors).toEqual([kit.errors[1], kit.errors[0]]);
    expect(kit.errors[0]).toMatchObject({ message: 'events could not be stored' });
  });
});

describe('an operation of a client that is erased at the same time', () => {
  it('is encrypted again under the new key, and stored once', async () => {
    const kit = await doorKit();
    await kit.post('operation', operation);
    const before = kit.subjects.keys.get('client-1')!;
    kit.subjects.refresh = async () => {
      kit.subjects.keys.clear();
      const key = createSecretKey(randomBytes(32));
      kit.subjects.keys.set('client-1', { subject: 'anew'.padEnd(16, 'x'), key });
      kit.subjects.generationOf = 1;
    };
    await kit.log.appendFenced(
      kit.workspace.id,
      { kind: 'erase', subject: before.subject, payload: Buffer.from('{}') },
      async () => undefined,
    );
    expect((await kit.post('operation', operation)).statusCode).toBe(200);
    const stored = await records(kit);
    expect(stored.map((record) => record.kind)).toEqual(['operation', 'erase', 'operation']);
    expect(stored[2]!.subject).toBe('anew'.padEnd(16, 'x'));
    expect(opened(kit, stored[2]!).event).toMatchObject({ account: { client: 'client-1' } });
  });

  it('fails as an internal error when the generation never settles', async () => {
    let tries = 0;
    const append = (): Promise<never> => {
      tries++;
      return Promise.reject(new StaleGenerationError('moved on'));
    };
    const kit = await doorKit({ append });
    const response = await kit.post('operation', operation);
    expect([response.statusCode, problemOf(response).code, tries]).toEqual([500, 'service.failed', 4]);
    expect(kit.errors).toMatchObject([{ requestId: 'req-1', message: 'a request failed' }]);
    expect(response.body).not.toContain('moved on');
  });
});
