import type { IncomingMessage, ServerResponse } from 'node:http';
import { nodeHandler, writeAnswer } from './node-handler.ts';
import type { BodyBounds } from './read-body.ts';
import { answerOf, type WebhookReceiver } from './receiver.ts';

/** The part of an Express request that is used here. */
type ExpressRequest = IncomingMessage & { readonly body?: unknown; readonly rawBody?: unknown };

/**
 * A handler for Express: `app.post('/ringfence/webhook', expressHandler(receiver))`.
 *
 * The signature covers the original bytes. Mount it before `express.json()`, or make that keep the bytes (`verify:
 * (request, _response, bytes) => { request.rawBody = bytes; }`); `express.raw()` works as well. Without the bytes it
 * answers 500 with an explanation.
 */
export function expressHandler(
  receiver: WebhookReceiver,
  bounds: BodyBounds = {},
): (request: ExpressRequest, response: ServerResponse) => void {
  const readFirst = nodeHandler(receiver, bounds);
  return (request, response) => {
    const kept = [request.rawBody, request.body].find((body) => body instanceof Uint8Array);
    if (kept !== undefined) {
      void receiver.receive({ headers: request.headers, body: kept }).then((answer) => writeAnswer(response, answer));
    } else if (request.readableEnded) {
      const message =
        'the body was parsed before its signature could be checked: mount the webhook before express.json()';
      writeAnswer(response, answerOf(500, { code: 0, message }));
    } else readFirst(request, response);
  };
}
