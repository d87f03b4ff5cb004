import { Agent as HttpAgent, request as httpRequest, type ClientRequest, type IncomingMessage } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import { timerMs } from './clock.ts';
import { limits } from './limits.ts';
import { oneLookUp } from './one-look-up.ts';
import type { Transport, TransportAnswer, TransportRequest } from './transport.ts';

/** For a service whose certificate the system does not trust, or that requires a client certificate. All are PEM. */
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
 * Sends requests over keep-alive connections of `node:http` or `node:https`.
 *
 * A server may close an idle connection just when a request is written to it. Node then fails the request, which the
 * server has not read; it is retried once on a new connection. No other idle connection is tried, because what closed
 * one (a load balancer's timeout, a restart) has often closed them all.
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
        () => outgoing.destroy(new Error(`no response within ${request.timeoutMs} ms`)),
        timerMs(request.timeoutMs),
      );
      outgoing.on('close', () => {
        clearTimeout(deadline);
        underWay.delete(outgoing);
        reject(new Error('the connection was closed before the response was complete'));
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
    // A body this long is not a response of the service: its status is enough.
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
      lag: textOf(incoming.headers['ringfence-lag']),
      body: Buffer.concat(chunks).toString(),
    });
  }
}

function textOf(header: string | string[] | undefined): string | undefined {
  return Array.isArray(header) ? header[0] : header;
}
