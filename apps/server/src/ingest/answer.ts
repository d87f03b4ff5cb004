import type { ServerResponse } from 'node:http';

/** A response of the ingest listener, ready to be written. */
export interface Answer {
  readonly status: number;
  /** Names and values alternate, so that `writeHead` accepts them without a copy. */
  readonly headers: readonly string[];
  readonly body: string;
}

/** Writes a response without Fastify, whose reply object costs as much as all of Node's own work. */
export function writeAnswer(response: ServerResponse, { status, headers, body }: Answer): void {
  response.writeHead(status, ['content-length', String(Buffer.byteLength(body)), ...headers]);
  response.end(body);
}
