import type { Socket } from 'node:net';

/** The heads of `100 Continue` that a piece begins with. One comes in one piece: a server writes these few bytes at once. */
const continueHeads = /^(?:HTTP\/1\.[01] 100[ \r][^]*?\r\n\r\n)+/;

/** Bytes that are looked at: more than such a head has, with its few headers. */
const headBytesMax = 1_024;

/**
 * Takes the `100 Continue` away that a receiver sends without being asked. A client has to bear with it (RFC 9110, 15.2);
 * undici cuts the connection, and no action would ever arrive there. It asks the socket by `read`, and nobody else does.
 */
export function skipContinue(socket: Socket): Socket {
  const read = socket.read.bind(socket) as (sizeBytes?: number) => Buffer | null;
  socket.read = (sizeBytes?: number) => {
    for (let chunk = read(sizeBytes); chunk !== null; chunk = read(sizeBytes)) {
      const heads = continueHeads.exec(chunk.toString('latin1', 0, headBytesMax))?.[0] ?? '';
      if (heads.length < chunk.length) return chunk.subarray(heads.length);
    }
    return null;
  };
  return socket;
}
