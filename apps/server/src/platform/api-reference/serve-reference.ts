import type { FastifyInstance } from 'fastify';
import { referenceStyle } from './reference-page.ts';

/** Allows only our own style sheet: no scripts, images or frames. */
const policy = "default-src 'none'; style-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

export interface Reference {
  /** The OpenAPI document, for tools. */
  readonly document: string;
  /** The page for people. */
  readonly page: string;
}

/** Serves the reference of a listener at `/openapi.json` and `/docs`, without authentication: it contains no secret. */
export function serveReference(app: FastifyInstance, { document, page }: Reference): void {
  const pages = [
    { path: '/openapi.json', type: 'application/json; charset=utf-8', text: document },
    { path: '/docs', type: 'text/html; charset=utf-8', text: page },
    { path: '/docs/docs.css', type: 'text/css; charset=utf-8', text: referenceStyle },
  ];
  for (const { path, type, text } of pages) {
    app.get(path, (_request, reply) =>
      reply
        .header('content-type', type)
        .header('content-security-policy', policy)
        .header('x-content-type-options', 'nosniff')
        .header('referrer-policy', 'no-referrer')
        .send(text),
    );
  }
}
