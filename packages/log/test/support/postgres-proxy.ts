import { mkdtemp, rm } from 'node:fs/promises';
import { createConnection, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/**
 * What happens to the bytes: `pass` forwards both ways, `mute` drops the server's answers, `greet` drops them once the
 * server is ready for the first statement, `cut` closes the connection at the next answer.
 */
export type ProxyMode = 'pass' | 'mute' | 'greet' | 'cut';

/** ReadyForQuery, not in a transaction. */
const ready = Buffer.from('Z\0\0\0\x05I');

/** A proxy between the log and its database that fails like a network. */
export interface PostgresProxy {
  readonly connection: {
    readonly host: string;
    readonly port: number;
    readonly user: string;
    readonly database: string;
  };
  mode: ProxyMode;
  close(): Promise<void>;
}

export async function startProxy(server: PostgresProxy['connection']): Promise<PostgresProxy> {
  const folder = await mkdtemp(join(tmpdir(), 'proxy-'));
  const sockets = new Set<Socket>();
  const socketIn = (host: string): string => join(host, `.s.PGSQL.${String(server.port)}`);
  const proxy = { connection: { ...server, host: folder }, mode: 'pass' as ProxyMode, close };

  const listener = createServer({ allowHalfOpen: true }, (near) => {
    const far = createConnection(socketIn(server.host));
    for (const socket of [near, far]) {
      sockets.add(socket);
      socket.on('error', () => {});
    }
    near.on('close', () => far.destroy());
    // In mode mute the end of the connection is dropped as well.
    const unlessMute = (end: () => void) => () => {
      if (proxy.mode !== 'mute') end();
    };
    near.on(
      'end',
      unlessMute(() => near.end()),
    );
    far.on(
      'close',
      unlessMute(() => near.destroy()),
    );
    near.on('data', (bytes) => far.write(bytes));
    let isReady = false;
    far.on('data', (bytes: Buffer) => {
      if (proxy.mode === 'pass' || (proxy.mode === 'greet' && !isReady)) near.write(bytes);
      isReady ||= bytes.subarray(-ready.length).equals(ready);
      if (proxy.mode === 'cut') near.destroy();
    });
  });
  await new Promise<void>((resolve) => {
    listener.listen(socketIn(folder), resolve);
  });

  async function close(): Promise<void> {
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => {
      listener.close(resolve);
    });
    await rm(folder, { recursive: true, force: true });
  }
  return proxy;
}
