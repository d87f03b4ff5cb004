import { once } from 'node:events';
import { createServer as createHttpServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, createServer as createTcpServer, type Server as TcpServer, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';

/** A received request with its whole body. */
export interface Received {
  readonly path: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: string;
}

export interface Receiver {
  readonly url: string;
  readonly port: number;
  readonly received: readonly Received[];
  /** Number of connections ever made. */
  readonly connections: () => number;
}

export type Answer = (request: Received, response: ServerResponse, message: IncomingMessage) => void;

export const executed: Answer = (_, response) => {
  response.setHeader('content-type', 'application/json').end('{"code":1}');
};

/** A client's webhook on a free loopback port, closed with the test. */
export async function httpReceiver(answer: Answer = executed): Promise<Receiver> {
  const received: Received[] = [];
  const server = createHttpServer((message, response) => {
    const chunks: Buffer[] = [];
    message.on('data', (chunk: Buffer) => chunks.push(chunk));
    message.on('end', () => {
      const request = { path: message.url ?? '', headers: message.headers, body: Buffer.concat(chunks).toString() };
      received.push(request);
      answer(request, response, message);
    });
  });
  return { ...(await listening(server)), received };
}

/** A TCP server that handles connections as the test defines. */
export async function rawReceiver(serve: (socket: Socket) => void): Promise<Receiver> {
  const server = createTcpServer((socket) => {
    socket.on('error', () => {});
    serve(socket);
  });
  return { ...(await listening(server)), received: [] };
}

/** Starts a server and counts its connections; closes both with the test. */
export async function listening(server: Server | TcpServer, scheme = 'http'): Promise<Omit<Receiver, 'received'>> {
  const sockets = new Set<Socket>();
  let count = 0;
  server.on('connection', (socket: Socket) => {
    count += 1;
    sockets.add(socket);
    socket.on('error', () => {});
    socket.once('close', () => sockets.delete(socket));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(async () => {
    for (const socket of sockets) socket.destroy();
    server.close();
    if (server.listening) await once(server, 'close');
  });
  const { port } = server.address() as AddressInfo;
  return { url: `${scheme}://127.0.0.1:${port}/hook`, port, connections: () => count };
}
