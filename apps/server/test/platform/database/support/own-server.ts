import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { vi } from 'vitest';
import { silentLog } from '../../../../src/platform/database/database-log.ts';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../../../../src/platform/database/embedded-postgres.ts';
import { patience } from '../../../../../../tools/testing/patience.ts';

/** A server with its own home, which a test may kill. */
export interface OwnServer {
  readonly home: string;
  readonly postgres: EmbeddedPostgres;
  /** SIGKILL to the postmaster; resolves when the next one accepts connections. */
  kill(): Promise<void>;
  remove(): Promise<void>;
}

export async function startOwnServer(): Promise<OwnServer> {
  const home = await mkdtemp(join(tmpdir(), 'ringfence-own-'));
  await chmod(home, 0o711); // as root, the server's user must be able to enter it
  const postgres = await startEmbeddedPostgres({ home, log: silentLog });
  return {
    home,
    postgres,
    kill: async () => {
      const killed = postgres.pid;
      process.kill(killed, 'SIGKILL');
      await vi.waitUntil(async () => postgres.pid !== killed && (await answers(postgres)), patience);
    },
    remove: async () => {
      await postgres.stop();
      await rm(home, { recursive: true });
    },
  };
}

async function answers(postgres: EmbeddedPostgres): Promise<boolean> {
  const client = new Client(postgres.connectionConfig);
  client.on('error', () => {});
  try {
    await client.connect();
    await client.end();
    return true;
  } catch {
    return false;
  }
}
