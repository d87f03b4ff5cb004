/** What a listener over TLS is told of slow clients: Fastify gives its server the one set of options or the other. */
import type { ServerOptions } from 'node:https';
import { afterEach, expect, it } from 'vitest';
import type { FastifyInstance } from 'fastify';
import { buildManagement } from '../../src/management/management-server.ts';
import type { ManagementDeps } from '../../src/management/management-deps.ts';
import { testAuthority } from '../dispatcher/support/certificates.ts';

let app: FastifyInstance;
afterEach(() => app.close());

it.each<[string, ServerOptions | undefined]>([
  ['without TLS', undefined],
  ['over TLS', testAuthority('a test of the management API').issue('localhost')],
])('have 5 s for their headers, %s', async (_, https) => {
  app = await buildManagement({ plugins: [], live: { close: () => {} } } as unknown as ManagementDeps, https);
  expect(app.server.headersTimeout).toBe(5_000);
});
