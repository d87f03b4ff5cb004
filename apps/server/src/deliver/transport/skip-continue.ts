import type { Socket } from 'node:net';

/** The heads of `100 Continue` that an answer begins with. */
const continueHeads = /^(?:HTTP\/1\.[01] 100[ \r][^]*?\r\n\r\n)+/;
/** As one begins, up to the sign behind its number. */
const begun = 'HTTP/1.x 100';

/** Bytes that are looked at, and waited for: more than such a head has, with its few headers. */
const headBytesMax = 1_024;

/**
 * Takes the `100 Continue` away that a receiver sends without being asked, in however many pieces. A client has to bear with
 * it (RFC 9110, 15.2); undici cuts the connection, and no action would ever arrive there. It asks the socket by `read`, and
 * nobody else does.
 */
export function skipContinue(socket: Socket): Socket {
  const read = socket.read.bind(socket) as (sizeBytes?: number) => Buffer | null;
  const write = socket.write.bind(socket) as (...of: readonly unknown[]) => boolean;
  /** What follows a request begins an answer; what follows that is its body, and nobody's to hold back. */
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

/** Whether the rest of a `100 Continue` may still come. */
function mayBecomeContinue(text: string): boolean {
  const start = text.slice(0, begun.length).replace(/^(HTTP\/1\.)[01]/, '$1x');
  return text.length < headBytesMax && begun.startsWith(start) && /^(?:$|[ \r])/.test(text.slice(begun.length));
}
