import { Problem, type ProblemCode, problemDetails, problemMediaType } from '@ringfence/contract';
import { type IncomingMessage, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { TLSSocket } from 'node:tls';
import { requestIdOf } from './request-id.ts';

/** A connection that was answered and cut before Fastify saw a request. */
export interface CutConnection {
  readonly problem: Problem;
  readonly requestId: string;
  /** `-` when it could not be read. */
  readonly method: string;
}

/** What both listeners say in their own way. */
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

/** Answers and cuts a connection that sent no readable request in time. There is no request, so Fastify can't. */
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

/** In the words of Node's parser, which hold nothing that was sent. */
function reasonOf({ code, reason }: NodeJS.ErrnoException & { readonly reason?: unknown }): string {
  if (code === 'HPE_INVALID_EOF_STATE') return 'it ends before it is whole';
  return typeof reason === 'string' ? reason : 'it is no HTTP/1.1';
}

/** Answers CONNECT, and cuts its connection. Node gives the bare socket, and would cut it without an answer. */
export function answerConnect(listening: Listening, { headers, socket }: IncomingMessage): void {
  // Node listens no more to a socket that it gave away, and an error that nobody hears ends the process.
  socket.on('error', () => socket.destroy());
  const problem = new Problem('http.malformed', 'This is no proxy: CONNECT leads nowhere.');
  const requestId = requestIdOf(headers, listening.makeRequestId);
  endSocket(listening, socket, { problem, requestId, method: 'CONNECT' });
}

/** For a request that expects something else than `100-continue`: Node would refuse it without a word. */
export function expectationProblem(): Problem {
  return new Problem('expectation.unknown', 'The one expectation that is met is 100-continue.');
}

function endSocket({ onCut }: Listening, socket: Socket, cut: CutConnection): void {
  onCut(cut);
  // An answer would wait for the end of the handshake, and the socket for the answer.
  if (socket instanceof TLSSocket && socket.alpnProtocol === null) {
    socket.destroy();
    return;
  }
  if (socket.writable) socket.end(responseText(cut));
  // A client that does not read either must not keep the socket.
  socket.destroySoon();
}

function responseText({ problem, requestId }: CutConnection): string {
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
