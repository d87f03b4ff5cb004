import { once } from 'node:events';
import type { FastifyInstance } from 'fastify';
import { createServer } from 'node:net';
import type { Listener } from './configuration.ts';
import { OperatorError } from '../platform/observability/operator-error.ts';

/** The ports that this process listens on; webhooks are never sent to them. */
export class ListeningPorts {
  readonly bound: number[] = [];
}

/**
 * Checks that an address can be bound, before a first start creates anything: the generated keys are shown only after a
 * complete start.
 *
 * @throws OperatorError if the address cannot be bound
 */
export async function checkAddress(listener: Pick<Listener, 'host' | 'port'>, name: string): Promise<void> {
  const server = createServer();
  try {
    server.listen({ host: listener.host, port: listener.port });
    await once(server, 'listening');
  } catch (cause) {
    throw refusedAddress(listener, name, cause);
  }
  server.close();
  await once(server, 'close');
}

function refusedAddress({ host, port }: Pick<Listener, 'host' | 'port'>, name: string, cause: unknown): OperatorError {
  const code = (cause as NodeJS.ErrnoException).code;
  return new OperatorError(
    code === 'EADDRINUSE'
      ? `${name}: another program already listens on ${host}:${port}.`
      : `${name}: cannot listen on ${host}:${port} (${code ?? String(cause)}).`,
    `Choose another address: ${name}.host and ${name}.port in the file, or the environment.`,
    { cause },
  );
}

/**
 * Starts listening and returns the bound URL, without a trailing slash.
 *
 * @throws OperatorError if the address cannot be bound
 */
export async function listenOn(
  app: FastifyInstance,
  listener: Listener,
  { name, ports }: { readonly name: string; readonly ports: ListeningPorts },
): Promise<string> {
  const { host, port } = listener;
  try {
    await app.listen({ host, port });
  } catch (cause) {
    throw refusedAddress(listener, name, cause);
  }
  const address = app.server.address();
  const bound = typeof address === 'object' && address !== null ? address.port : port;
  return urlOf(listener, bound, ports);
}

/**
 * The same for the threads that take events.
 *
 * @param listen returns the port
 * @throws OperatorError if the address cannot be bound; whatever else `listen` throws
 */
export async function listenInThreads(
  listen: (at: Pick<Listener, 'host' | 'port'>) => Promise<number>,
  listener: Listener,
  { name, ports }: { readonly name: string; readonly ports: ListeningPorts },
): Promise<string> {
  // Threads that share a port would share it with another process, too.
  await checkAddress(listener, name);
  const { host, port } = listener;
  const bound = await listen({ host, port }).catch((cause: NodeJS.ErrnoException) => {
    if (cause.code === undefined) throw cause;
    throw cause.code === 'ENOTSUP' ? noSharing(cause) : refusedAddress(listener, name, cause);
  });
  return urlOf(listener, bound, ports);
}

function noSharing(cause: unknown): OperatorError {
  return new OperatorError(
    'ingestThreads: on this operating system only one thread can listen on a port.',
    'Leave ingestThreads out, or set it to 1.',
    { cause },
  );
}

function urlOf({ host, tls }: Listener, bound: number, ports: ListeningPorts): string {
  ports.bound.push(bound);
  const shown = host.includes(':') ? `[${host}]` : host;
  return `${tls === undefined ? 'http' : 'https'}://${shown}:${bound}`;
}
