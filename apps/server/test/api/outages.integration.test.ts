/** Answers while the database or the log is unavailable. */
import { LogUnavailableError } from '@ringfence/log';
import { expect, it } from 'vitest';
import { isDatabaseUnavailable } from '../../src/platform/observability/database-unavailable.ts';
import type { ManagementDeps } from '../../src/api/server/management-deps.ts';
import { login, managementKit, problemOf } from './support/management-kit.ts';

const failing = (error: Error): Partial<ManagementDeps> => ({
  backlogs: () => Promise.reject(error),
});

it.each([
  ['a refused connection', Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' })],
  ['a shutdown', Object.assign(new Error('terminating connection'), { code: '57P01' })],
  ['a role that may no longer log in', Object.assign(new Error('authentication failed'), { code: '28P01' })],
  ['a transaction that was idle too long', Object.assign(new Error('terminating connection'), { code: '25P03' })],
  ['a pool that waits too long', new Error('timeout exceeded when trying to connect')],
  ['a server that does not answer', new Error('timeout expired')],
  ['a missing socket', Object.assign(new Error('connect ENOENT'), { code: 'ENOENT', syscall: 'connect' })],
  ['a nested cause', new Error('it failed', { cause: new Error('Connection terminated unexpectedly') })],
])('an unavailable database is answered with 503 and Retry-After (%s)', async (_, error) => {
  const kit = await managementKit(failing(error));
  try {
    const response = await kit.call('GET', '/status');
    expect(problemOf(response).code).toBe('database.unavailable');
    expect(response.headers['retry-after']).toBe('1');
  } finally {
    await kit.close();
  }
});

it('an internal error is answered with 500 and its request id, under which it is logged', async () => {
  const kit = await managementKit(failing(new Error('client ana has 5 pesos')));
  try {
    const response = await kit.call('GET', '/status', { headers: { 'x-request-id': 'r-1' } });
    expect(problemOf(response)).toMatchObject({ code: 'service.failed', requestId: 'r-1' });
    expect(response.body).not.toContain('ana');
    expect(kit.said).toContainEqual(
      expect.objectContaining({ level: 'error', fields: expect.objectContaining({ requestId: 'r-1' }) }),
    );
  } finally {
    await kit.close();
  }
});

it('a change that the log does not accept is answered with 503, and nothing was promised', async () => {
  const kit = await managementKit();
  try {
    await kit.send('login', login('ana'));
    kit.log.append = () => Promise.reject(new LogUnavailableError('it hangs'));
    const response = await kit.at('POST', 'clients/unblock', { body: { client: 'ana' } });
    expect(problemOf(response).code).toBe('log.unavailable');
  } finally {
    await kit.close();
  }
});

it.each([
  new Error('syntax error'),
  Object.assign(new Error('duplicate key'), { code: '23505' }),
  Object.assign(new Error('no such file'), { code: 'ENOENT', syscall: 'open' }),
  'a text',
  undefined,
])('a failing statement is not an outage: %s', (error) => {
  expect(isDatabaseUnavailable(error)).toBe(false);
});

it('a certificate that is no longer trusted is an outage', () => {
  for (const code of ['SELF_SIGNED_CERT_IN_CHAIN', 'CERT_HAS_EXPIRED', 'ERR_TLS_CERT_ALTNAME_INVALID'])
    expect(isDatabaseUnavailable(Object.assign(new Error('refused'), { code })), code).toBe(true);
});
