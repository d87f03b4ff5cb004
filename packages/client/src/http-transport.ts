import { Agent as HttpAgent, request as httpRequest, type ClientRequest, type IncomingMessage } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import { timerMs } from './clock.ts';
import { limits } from './limits.ts';
import { oneLookUp } from './one-look-up.ts';
import type { Transport, TransportAnswer, TransportRequest } from './transport.ts';

/** For a service whose certificate the system does not know, or that asks for one of ours. All are PEM. */
export interface TlsOptions {
  readonly ca?: string;
  readonly cert?: string;
  readonly key?: string;
}

export interface HttpTransportOptions {
  readonly origin: URL;
  readonly connectionsMax: number;
  readonly tls?: TlsOptions | undefined;
}

/**
 * Requests over kept-alive connections of `node:http` or `node:https`.
 *
 * A server may close an idle connection at the moment that a request is written to it. Node then fails the request,
 * which was not read; it is sent once more, on a fresh connection: what closed one idle connection (a load balancer after
 * its time, a restart) has often closed them all, and none of them is tried again.
 * Source: docs/decisions/0031-client-package.md
 */
export function createHttpTransport(options: HttpTransportOptions): Transport {
  const { origin } = options;
  const isTls = origin.protocol === 'https:';
  const agentOptions = {
    keepAlive: true,
    maxSockets: options.connectionsMax,
    scheduling: 'fifo' as const,
    lookup: oneLookUp(),
  };
  const agent = isTls ? new HttpsAgent({ ...agentOptions, ...options.tls }) : new HttpAgent(agentOptions);
  const start = isTls ? httpsRequest : httpRequest;
  const underWay = new Set<ClientRequest>();

  const dropIdle = (): void => {
    for (const sockets of Object.values(agent.freeSockets)) for (const socket of sockets ?? []) socket.destroy();
  };
  const attempt = (request: TransportRequest, isSecond: boolean): Promise<TransportAnswer> =>
    new Promise((resolve, reject) => {
      const outgoing = start({
        agent,
        method: 'POST',
        hostname: origin.hostname.replace(/^\[|\]$/g, ''),
        port: origin.port,
        path: request.path,
        headers: { ...request.headers, 'content-length': request.body.length },
      });
      underWay.add(outgoing);
      const deadline = setTimeout(
        () => outgoing.destroy(new Error(`no answer within ${request.timeoutMs} ms`)),
        timerMs(request.timeoutMs),
      );
      outgoing.on('close', () => {
        clearTimeout(deadline);
        underWay.delete(outgoing);
        reject(new Error('the connection was closed before the answer was whole'));
      });
      outgoing.on('error', (error: NodeJS.ErrnoException) => {
        const wasIdle = outgoing.reusedSocket && (error.code === 'ECONNRESET' || error.code === 'EPIPE');
        if (!wasIdle || isSecond) return reject(error);
        dropIdle();
        resolve(attempt(request, true));
      });
      outgoing.on('response', (incoming) => readAnswer(incoming, resolve, reject));
      outgoing.end(request.body);
    });

  return {
    send: (request) => attempt(request, false),
    close: () => {
      for (const outgoing of underWay) outgoing.destroy(new Error('the client was closed'));
      agent.destroy();
    },
  };
}

function readAnswer(
  incoming: IncomingMessage,
  resolve: (answer: TransportAnswer) => void,
  reject: (error: Error) => void,
): void {
  const chunks: Buffer[] = [];
  let sizeBytes = 0;
  incoming.on('data', (chunk: Buffer) => {
    sizeBytes += chunk.length;
    if (sizeBytes <= limits.answerBytesMax) chunks.push(chunk);
    // Whatever this is, it is no answer of the service: its status says enough.
    else if (sizeBytes - chunk.length <= limits.answerBytesMax) {
      answered();
      incoming.destroy();
    }
  });
  incoming.on('end', answered);
  incoming.on('error', reject);

  function answered(): void {
    resolve({
      status: incoming.statusCode ?? 0,
      retryAfter: incoming.headers['retry-after'],
      requestId: textOf(incoming.headers['x-request-id']),
      body: Buffer.concat(chunks).toString(),
    });
  }
}

function textOf(header: string | string[] | undefined): string | undefined {
  return Array.isArray(header) ? header[0] : header;
}
