import type { FastifyInstance } from 'fastify';
import { serveReference } from '../reference/serve-reference.ts';
import { docsPage } from './docs-page.ts';
import { openApiText } from './openapi.ts';

/** The reference that an integration developer reads: the document for tools, the page for people. */
export function referenceRoutes(app: FastifyInstance): void {
  serveReference(app, { document: openApiText(), page: docsPage() });
}
