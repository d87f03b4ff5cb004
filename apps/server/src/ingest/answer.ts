import { secondMs } from '@ringfence/contract';
import type { ServerResponse } from 'node:http';

/** A response of the ingest listener, ready to be written. */
export interface Answer {
  readonly status: number;
  /** Names and values alternate, so that `writeHead` accepts them without a copy. */
  readonly headers: readonly string[];
  readonly body: string;
}

/**
 * Writes a response without Fastify, whose reply object costs as much as all of Node's own work.
 *
 * @param lagMs how far the engine is behind the workspace of the request; `undefined` for a request without a workspace
 */
export function writeAnswer(response: ServerResponse, { status, headers, body }: Answer, lagMs?: number): void {
  const head = ['content-length', String(Buffer.byteLength(body)), ...headers];
  if (lagMs !== undefined) head.push('ringfence-lag', (lagMs / secondMs).toFixed(1));
  response.writeHead(status, head);
  response.end(body);
}
