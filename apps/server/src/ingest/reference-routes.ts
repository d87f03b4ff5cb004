import type { FastifyInstance } from 'fastify';
import { serveReference } from '../platform/api-reference/serve-reference.ts';
import type { ClientAddresses } from '../platform/http/client-address.ts';
import { askedAt } from './asked-at.ts';
import { askedAtMark, docsPage } from './docs-page.ts';
import { openApiText } from './openapi.ts';

/** The API reference for integration developers: the OpenAPI document for tools, the page for people. */
export function referenceRoutes(app: FastifyInstance, senders: Pick<ClientAddresses, 'isProxy'>): void {
  const page = docsPage();
  serveReference(app, {
    document: openApiText(),
    page: ({ raw }) => page.replaceAll(askedAtMark, askedAt(raw, senders)),
  });
}
