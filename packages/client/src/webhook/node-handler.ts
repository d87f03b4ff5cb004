import type { IncomingMessage, ServerResponse } from 'node:http';
import { type BodyBounds, readBody } from './read-body.ts';
import { answerOf, type WebhookAnswer, type WebhookReceiver } from './receiver.ts';

export type NodeHandler = (request: IncomingMessage, response: ServerResponse) => void;

/** A listener for `node:http`, to be called for the webhook's path. It answers every request. */
export function nodeHandler(receiver: WebhookReceiver, bounds: BodyBounds = {}): NodeHandler {
  return (request, response) => void handle(request, response);

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (request.method !== 'POST') {
      return writeAnswer(response, answerOf(405, { code: 0, message: 'only POST' }, { allow: 'POST' }));
    }
    const read = await readBody(request, bounds);
    if (read.kind === 'read') {
      return writeAnswer(response, await receiver.receive({ headers: request.headers, body: read.body }));
    }
    // The rest of the body is not read: the connection ends with the response.
    response.once('finish', () => request.destroy());
    const isTooLarge = read.kind === 'tooLarge';
    const message = isTooLarge ? 'the body is too large' : 'the body arrived too slowly';
    writeAnswer(response, answerOf(isTooLarge ? 413 : 408, { code: 0, message }, { connection: 'close' }));
  }
}

/**
 * Writes an answer of the receiver, unless the connection is closed or a timeout of the bank's server answered already.
 */
export function writeAnswer(response: ServerResponse, answer: WebhookAnswer): void {
  if (response.destroyed || response.headersSent) return;
  response.writeHead(answer.status, answer.headers);
  response.end(JSON.stringify(answer.body));
}
