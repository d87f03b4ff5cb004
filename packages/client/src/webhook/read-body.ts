import type { IncomingMessage } from 'node:http';
import { timerMs } from '../clock.ts';

export interface BodyBounds {
  /** Default 128 KiB: a typical webhook has 1 KiB, and the longest message 96 KiB. */
  readonly bodyBytesMax?: number;
  /** Default 10 s: the service gives up after 15. */
  readonly bodyTimeoutMs?: number;
}

export const bodyDefaults = { bodyBytesMax: 128 * 1_024, bodyTimeoutMs: 10_000 } as const;

export type ReadBody =
  | { readonly kind: 'read'; readonly body: Buffer }
  | { readonly kind: 'tooLarge' }
  | { readonly kind: 'tooSlow' }
  | { readonly kind: 'cut' };

/** Reads the whole body, or returns why it could not. Buffers at most `bodyBytesMax` bytes and never rejects. */
export function readBody(request: IncomingMessage, bounds: BodyBounds = {}): Promise<ReadBody> {
  const { bodyBytesMax, bodyTimeoutMs } = { ...bodyDefaults, ...bounds };
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    let sizeBytes = 0;
    const timer = setTimeout(() => finish({ kind: 'tooSlow' }), timerMs(bodyTimeoutMs));
    const finish = (result: ReadBody): void => {
      clearTimeout(timer);
      request.off('data', take);
      request.pause();
      resolve(result);
    };
    const take = (chunk: Buffer): void => {
      sizeBytes += chunk.length;
      if (sizeBytes > bodyBytesMax) return finish({ kind: 'tooLarge' });
      chunks.push(chunk);
    };
    request.on('data', take);
    request.on('end', () => finish({ kind: 'read', body: Buffer.concat(chunks) }));
    request.on('close', () => finish({ kind: 'cut' }));
    request.on('error', () => finish({ kind: 'cut' }));
  });
}
