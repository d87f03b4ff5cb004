import type { Socket } from 'node:net';

/** The heads of `100 Continue` at the start of an answer. */
const continueHeads = /^(?:HTTP\/1\.[01] 100[ \r][^]*?\r\n\r\n)+/;
/** The start of such a head, up to the character after the status code. */
const begun = 'HTTP/1.x 100';

/** Bytes that are examined and held back: more than such a head with its few headers has. */
const headBytesMax = 1_024;

/**
 * Removes `100 Continue` responses that a receiver sends unasked, in however many pieces they arrive. A client must
 * accept them (RFC 9110, 15.2), but undici closes the connection, and no action would ever be delivered there.
 * Overrides the socket's `read`, which only undici calls.
 */
export function skipContinue(socket: Socket): Socket {
  const read = socket.read.bind(socket) as (sizeBytes?: number) => Buffer | null;
  const write = socket.write.bind(socket) as (...of: readonly unknown[]) => boolean;
  /** After a request the answer begins; after its beginning comes the body, which is passed through. */
  let isBeginning = true;
  let held = Buffer.alloc(0);
  socket.write = (...of: readonly unknown[]) => {
    isBeginning = true;
    return write(...of);
  };
  socket.read = (sizeBytes?: number) => {
    for (let piece = read(sizeBytes); piece !== null; piece = read(sizeBytes)) {
      if (!isBeginning) return piece;
      const bytes = Buffer.concat([held, piece]);
      const heads = continueHeads.exec(bytes.toString('latin1', 0, headBytesMax))?.[0] ?? '';
      held = bytes.subarray(heads.length);
      if (mayBecomeContinue(held.toString('latin1', 0, headBytesMax))) continue;
      const rest = held;
      [held, isBeginning] = [Buffer.alloc(0), false];
      return rest;
    }
    return null;
  };
  return socket;
}

/** Whether this may be the beginning of a `100 Continue`. */
function mayBecomeContinue(text: string): boolean {
  const start = text.slice(0, begun.length).replace(/^(HTTP\/1\.)[01]/, '$1x');
  return text.length < headBytesMax && begun.startsWith(start) && /^(?:$|[ \r])/.test(text.slice(begun.length));
}
