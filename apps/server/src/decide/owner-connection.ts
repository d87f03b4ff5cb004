import { endConnection, endWithDeadPeer, leaveDeadServer } from '@ringfence/log';
import { Client, type ClientConfig } from 'pg';
import { Semaphore } from '../platform/semaphore.ts';

/** A connection or statement that takes longer counts as lost. Others take the partitions after 7 s of silence. */
const connectMsMax = 3_000;
const answerMsMax = 5_000;

/**
 * The connection that holds the partition locks of a process. The process polls the other owners on it, and ending
 * hosts release their partitions on it. Work runs one after the other: a statement that falls into the failed
 * transaction of another is refused, and a lock that is not released blocks its partition for everybody.
 */
export class OwnerConnection {
  readonly #client: Client;
  readonly #turns = new Semaphore(1);
  readonly #lost = new AbortController();

  constructor(database: ClientConfig) {
    this.#client = new Client({
      ...database,
      application_name: 'ringfence owner',
      connectionTimeoutMillis: connectMsMax,
      query_timeout: answerMsMax,
      ...leaveDeadServer,
    });
    this.#client.on('error', (error) => this.#lost.abort(error));
    this.#client.on('end', () => this.#lost.abort(new Error('Connection terminated')));
  }

  async open(): Promise<void> {
    await this.#client.connect();
    await this.#client.query(endWithDeadPeer());
  }

  /** Aborted, with the first reason reported, once the connection is lost or given up. */
  get lost(): AbortSignal {
    return this.#lost.signal;
  }

  giveUp(why: unknown): void {
    this.#lost.abort(why);
  }

  /** Runs `work` after all earlier work is done. @throws the reason why the connection was lost */
  async alone<Result>(work: (client: Client) => Promise<Result>): Promise<Result> {
    const done = await this.#turns.take();
    try {
      this.#lost.signal.throwIfAborted();
      return await work(this.#client);
    } finally {
      done();
    }
  }

  end(): Promise<void> {
    return endConnection(this.#client);
  }
}
