import { Problem, type ProblemCode, problemDetails, problemMediaType } from '@ringfence/contract';
import { type IncomingMessage, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { TLSSocket } from 'node:tls';
import { requestIdOf } from './request-id.ts';

/** A connection that was answered and cut before Fastify saw a request. */
export interface CutConnection {
  readonly problem: Problem;
  readonly requestId: string;
  /** `-` if it could not be read. */
  readonly method: string;
}

/** The settings of a listener that these answers depend on. */
export interface Listening {
  readonly headersMs: number;
  readonly requestMs: number;
  readonly makeRequestId: () => string;
  readonly onCut: (cut: CutConnection) => void;
}

const codes: Readonly<Record<string, ProblemCode>> = {
  ERR_HTTP_REQUEST_TIMEOUT: 'request.slow',
  ERR_TLS_HANDSHAKE_TIMEOUT: 'request.slow',
  HPE_HEADER_OVERFLOW: 'headers.tooLarge',
};

/** Answers and cuts a connection that sent no readable request in time. Fastify cannot: there is no request. */
export function answerClientError(listening: Listening, error: NodeJS.ErrnoException, socket: Socket): void {
  if (error.code === 'ECONNRESET' || socket.destroyed) {
    socket.destroy();
    return;
  }
  const problem = problemOf(error, listening);
  endSocket(listening, socket, { problem, requestId: listening.makeRequestId(), method: '-' });
}

function problemOf(error: NodeJS.ErrnoException, { headersMs, requestMs }: Listening): Problem {
  const code = codes[error.code ?? ''];
  switch (code) {
    case 'request.slow': {
      const [headers, whole] = [headersMs / 1_000, requestMs / 1_000];
      return new Problem(code, `Headers must arrive within ${headers} seconds, the whole request within ${whole}.`);
    }
    case 'headers.tooLarge':
      return new Problem(code, 'All headers together may have 16 KiB.');
    default:
      return new Problem('http.malformed', `The request could not be read: ${reasonOf(error)}.`);
  }
}

/** Node's parser messages, which contain nothing that was sent. */
function reasonOf({ code, reason }: NodeJS.ErrnoException & { readonly reason?: unknown }): string {
  if (code === 'HPE_INVALID_EOF_STATE') return 'it is incomplete';
  return typeof reason === 'string' ? reason : 'it is not HTTP/1.1';
}

/**
 * Answers CONNECT, and cuts its connection. Node only provides the raw socket, and would close it without an answer.
 */
export function answerConnect(listening: Listening, { headers, socket }: IncomingMessage): void {
  // Node removes its own listeners from this socket, and an unhandled error event would end the process.
  socket.on('error', () => socket.destroy());
  const problem = new Problem('http.malformed', 'This server is not a proxy and does not support CONNECT.');
  const requestId = requestIdOf(headers, listening.makeRequestId);
  endSocket(listening, socket, { problem, requestId, method: 'CONNECT' });
}

/** For an Expect header other than `100-continue`: Node would reject it with an empty answer. */
export function expectationProblem(): Problem {
  return new Problem('expectation.unknown', 'The only supported expectation is 100-continue.');
}

function endSocket({ onCut }: Listening, socket: Socket, cut: CutConnection): void {
  onCut(cut);
  // An answer would wait for the end of the TLS handshake, and the socket for the answer.
  if (socket instanceof TLSSocket && socket.alpnProtocol === null) {
    socket.destroy();
    return;
  }
  if (socket.writable) socket.end(responseText(cut));
  // A client that does not read the answer must not keep the socket open.
  socket.destroySoon();
}

/** The whole HTTP response to a connection that is too many: no server reads it. */
export function fullAnswer(code: ProblemCode, requestId: string): string {
  const problem = new Problem(code, 'Too many connections are open. Reuse them, or try again.');
  return responseText({ problem, requestId }, ['retry-after: 1']);
}

function responseText(
  { problem, requestId }: Pick<CutConnection, 'problem' | 'requestId'>,
  headers: readonly string[] = [],
): string {
  const body = JSON.stringify(problemDetails(problem, requestId));
  return [
    `HTTP/1.1 ${problem.status} ${STATUS_CODES[problem.status]}`,
    `content-type: ${problemMediaType}`,
    `x-request-id: ${requestId}`,
    `content-length: ${Buffer.byteLength(body)}`,
    'connection: close',
    ...headers,
    '',
    body,
  ].join('\r\n');
}
