import { bodyDefaults } from './read-body.ts';
import type { WebhookReceiver } from './receiver.ts';

/**
 * The part of a Fastify instance that is used here. Avoids a dependency on Fastify; its types fit from version 4 on.
 */
interface FastifyLike {
  removeAllContentTypeParsers(): void;
  addContentTypeParser(
    contentType: string,
    options: { readonly parseAs: 'buffer'; readonly bodyLimit: number },
    parser: (request: unknown, body: Buffer, done: (error: Error | null, body?: unknown) => void) => void,
  ): void;
  post(path: string, handler: (request: FastifyRequestLike, reply: FastifyReplyLike) => Promise<unknown>): void;
}

interface FastifyRequestLike {
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: unknown;
}

interface FastifyReplyLike {
  code(status: number): unknown;
  headers(headers: Record<string, string>): unknown;
  send(body: unknown): unknown;
}

export interface WebhookPluginOptions {
  readonly path: string;
  readonly bodyBytesMax?: number;
}

/**
 * A Fastify plugin: `app.register(fastifyPlugin(receiver), { path: '/ringfence/webhook' })`.
 *
 * Bodies stay unparsed on this route only, because the signature covers the original bytes.
 */
export function fastifyPlugin(receiver: WebhookReceiver) {
  return (instance: FastifyLike, options: WebhookPluginOptions, done: (error?: Error) => void): void => {
    instance.removeAllContentTypeParsers();
    const bodyLimit = options.bodyBytesMax ?? bodyDefaults.bodyBytesMax;
    instance.addContentTypeParser('*', { parseAs: 'buffer', bodyLimit }, (_request, body, parsed) =>
      parsed(null, body),
    );
    instance.post(options.path, async (request, reply) => {
      const body = request.body instanceof Uint8Array ? request.body : new Uint8Array();
      const answer = await receiver.receive({ headers: request.headers, body });
      reply.code(answer.status);
      reply.headers({ ...answer.headers });
      return reply.send(answer.body);
    });
    done();
  };
}
