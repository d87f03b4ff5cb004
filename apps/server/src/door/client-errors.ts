import { Problem, type ProblemCode, problemDetails, problemMediaType } from '@ringfence/contract';
import { type IncomingMessage, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { DoorDeps } from './door-deps.ts';
import { requestIdOf } from './request-id.ts';

const codes: Readonly<Record<string, ProblemCode>> = {
  ERR_HTTP_REQUEST_TIMEOUT: 'request.slow',
  HPE_HEADER_OVERFLOW: 'headers.tooLarge',
};

const details: Partial<Record<ProblemCode, string>> = {
  'request.slow': 'Headers must arrive within 5 seconds, the whole request within 10.',
  'headers.tooLarge': 'All headers together may have 16 KiB.',
  'http.malformed': 'The request could not be read.',
};

/** Answers and cuts a connection that sent no readable request in time. There is no request, so Fastify can't. */
export function answerClientError(deps: DoorDeps, error: NodeJS.ErrnoException, socket: Socket): void {
  if (error.code === 'ECONNRESET' || socket.destroyed) {
    socket.destroy();
    return;
  }
  const code = codes[error.code ?? ''] ?? 'http.malformed';
  endSocket(deps, new Problem(code, details[code] ?? ''), { socket, requestId: deps.makeRequestId(), method: '-' });
}

/** Answers CONNECT, and cuts its connection. Node gives the bare socket, and would cut it without an answer. */
export function answerConnect(deps: DoorDeps, { headers, socket }: IncomingMessage): void {
  // Node listens no more to a socket that it gave away, and an error that nobody hears ends the process.
  socket.on('error', () => socket.destroy());
  const problem = new Problem('http.malformed', 'This is no proxy: CONNECT leads nowhere.');
  endSocket(deps, problem, { socket, requestId: requestIdOf(headers, deps.makeRequestId), method: 'CONNECT' });
}

interface Ended {
  readonly socket: Socket;
  readonly requestId: string;
  /** `-` when it could not be read. */
  readonly method: string;
}

function endSocket(deps: DoorDeps, problem: Problem, { socket, requestId, method }: Ended): void {
  deps.refused.note({
    atMs: deps.now(),
    workspaceId: undefined,
    keyId: undefined,
    requestId,
    method,
    path: 'other',
    status: problem.status,
    code: problem.code,
    bodyBytes: undefined,
    errors: [],
  });
  if (socket.writable) socket.end(responseText(problem, requestId));
  // A client that does not read either must not keep the socket.
  socket.destroySoon();
}

function responseText(problem: Problem, requestId: string): string {
  const body = JSON.stringify(problemDetails(problem, requestId));
  return [
    `HTTP/1.1 ${problem.status} ${STATUS_CODES[problem.status]}`,
    `content-type: ${problemMediaType}`,
    `x-request-id: ${requestId}`,
    `content-length: ${Buffer.byteLength(body)}`,
    'connection: close',
    '',
    body,
  ].join('\r\n');
}
