import type { IncomingMessage } from 'node:http';
import type { Problem } from '@ringfence/contract';
import { bodyTooLarge, cutBody } from '../platform/http/framework-problem.ts';

const empty = Buffer.alloc(0);
/**
 * A body that is too long is read to its end and discarded before it is refused, up to this length. Closing the
 * connection while the client still sends would lose the answer, and the client would retry forever.
 */
const discardedBytesMax = 1024 * 1024;

/**
 * Collects the body of a request. Calls `done` once: with the body, or with a problem and the known size of the body.
 * Nothing reads the rest of the body after a problem, so the answer must end the connection.
 */
export function readBody(
  request: IncomingMessage,
  bytesMax: number,
  done: (problem: Problem | undefined, body: Buffer, bytes: number) => void,
): void {
  const stated = Number(request.headers['content-length']);
  if (stated > discardedBytesMax) return done(bodyTooLarge(bytesMax), empty, stated);
  // Nearly every body arrives in one piece. It can be used without a copy: Node has already copied it out of its read
  // buffer.
  let body: Buffer = empty;
  let pieces: Buffer[] | undefined;
  let bytes = 0;
  const take = (piece: Buffer): void => {
    bytes += piece.length;
    if (bytes > discardedBytesMax) end(bodyTooLarge(bytesMax));
    else if (bytes > bytesMax) pieces = undefined;
    else if (bytes === piece.length) body = piece;
    else (pieces ??= [body]).push(piece);
  };
  const whole = (): void => end(bytes > bytesMax ? bodyTooLarge(bytesMax) : undefined);
  const cut = (): void => end(cutBody());
  const end = (problem: Problem | undefined): void => {
    request.off('data', take).off('end', whole).off('error', cut);
    done(problem, pieces === undefined ? body : Buffer.concat(pieces, bytes), bytes);
  };
  request.on('data', take).on('end', whole).on('error', cut);
}
