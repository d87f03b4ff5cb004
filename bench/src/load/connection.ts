import { connect, type Socket } from 'node:net';
import { requestBytesMax } from './traffic.ts';

export interface ConnectionEvents {
  readonly onAnswer: (status: number, connection: Connection, answer: Buffer) => void;
  /** The connection broke, or the server closed it. */
  readonly onEnd: (error: Error) => void;
}

/**
 * One HTTP/1.1 keep-alive connection with at most one request in flight. It supports only a status line and a
 * Content-Length. Anything else (chunked bodies, two responses to one request) is an error.
 */
export class Connection {
  /** The request in flight, or the last one that was answered. */
  request = { serial: 0, dueUs: 0 };
  readonly #socket: Socket;
  readonly #buffer = Buffer.allocUnsafe(requestBytesMax);
  readonly #onAnswer: ConnectionEvents['onAnswer'];
  #received: Buffer | undefined;

  private constructor(socket: Socket, { onAnswer }: ConnectionEvents) {
    this.#socket = socket;
    this.#onAnswer = onAnswer;
    socket.on('data', (chunk: Buffer) => this.#take(chunk));
  }

  /** @throws the socket's error if nothing listens on the port */
  static open(target: { readonly host: string; readonly port: number }, events: ConnectionEvents): Promise<Connection> {
    return new Promise((resolve, reject) => {
      const socket = connect({ ...target, noDelay: true });
      socket.once('error', reject);
      socket.once('connect', () => {
        socket.off('error', reject);
        socket.on('error', events.onEnd);
        socket.on('close', () => events.onEnd(new Error('the server closed the connection')));
        resolve(new Connection(socket, events));
      });
    });
  }

  /** `fill` writes the request into the connection's buffer, which is free because its last request was answered. */
  send(request: { readonly serial: number; readonly dueUs: number }, fill: (into: Buffer) => number): void {
    this.request = request;
    this.#socket.write(this.#buffer.subarray(0, fill(this.#buffer)));
  }

  close(): void {
    this.#socket.removeAllListeners('close');
    this.#socket.destroy();
  }

  #take(chunk: Buffer): void {
    const received = this.#received === undefined ? chunk : Buffer.concat([this.#received, chunk]);
    const bytes = answerLength(received);
    const whole = bytes !== undefined && received.length >= bytes;
    this.#received = whole ? undefined : received;
    if (!whole) return;
    if (received.length > bytes) throw new Error('more than one response to one request');
    this.#onAnswer(Number(received.toString('latin1', 9, 12)), this, received);
  }
}

/** Length of the whole response in bytes; `undefined` until its head has arrived. */
function answerLength(received: Buffer): number | undefined {
  const headEnd = received.indexOf('\r\n\r\n');
  if (headEnd < 0) return undefined;
  const length = /content-length: (\d+)/i.exec(received.toString('latin1', 0, headEnd))?.[1];
  if (length === undefined) throw new Error('an answer without Content-Length');
  return headEnd + 4 + Number(length);
}
