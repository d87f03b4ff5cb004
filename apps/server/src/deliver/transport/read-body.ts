import type { Readable } from 'node:stream';

export interface ReadBody {
  readonly bytes: Buffer;
  /** The body was longer; the rest was not read, and the connection is closed. */
  readonly truncated: boolean;
}

/** Reads a body up to a bound; uses memory for at most the bound and one chunk. */
export async function readBody(body: Readable, bytesMax: number): Promise<ReadBody> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of body as AsyncIterable<Buffer>) {
    chunks.push(chunk);
    size += chunk.length;
    if (size > bytesMax) {
      body.destroy();
      return { bytes: Buffer.concat(chunks).subarray(0, bytesMax), truncated: true };
    }
  }
  return { bytes: Buffer.concat(chunks), truncated: false };
}
