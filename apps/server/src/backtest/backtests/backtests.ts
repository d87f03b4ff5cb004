import type { ClientConfig, Pool } from 'pg';
import type { Workspace } from '../../tenancy/workspaces/workspace.ts';
import { Thread } from '../../platform/thread.ts';
import { startTraining, type WantedTraining } from '../training/start-training.ts';
import { cancelTraining } from '../training/training-rows.ts';
import { cancelBacktest, endBacktest } from './backtest-rows.ts';
import type { BacktestThreadSettings } from './backtest-thread.ts';
import { type BacktestRequest, startBacktest } from './start-backtest.ts';
import { whyItFailed } from './why-it-failed.ts';

export interface BacktestsOptions {
  readonly pool: Pool;
  /** For the thread's own connections. */
  readonly database: ClientConfig;
  readonly logger: { error(fields: object, message: string): void };
}

/** Runs backtests and trainings within the service, in their own threads; one at a time across all processes. */
export class Backtests {
  readonly #options: BacktestsOptions;
  readonly #running = new Map<number, Thread<never>>();

  constructor(options: BacktestsOptions) {
    this.#options = options;
  }

  /**
   * Starts one in the background.
   *
   * @returns its number
   * @throws Problem as `startBacktest`
   */
  async start(workspace: Workspace, wanted: BacktestRequest): Promise<number> {
    const id = await startBacktest(this.#options.pool, workspace, wanted);
    this.#run(workspace, { id, purpose: 'backtest' });
    return id;
  }

  /**
   * Starts to train or compare a model in the background.
   *
   * @returns its number
   * @throws Problem as `startTraining`
   */
  async train(workspace: Workspace, wanted: WantedTraining): Promise<number> {
    const id = await startTraining(this.#options.pool, workspace, wanted);
    this.#run(workspace, { id, purpose: 'training' });
    return id;
  }

  #run(workspace: Workspace, { id, purpose }: Pick<BacktestThreadSettings, 'id' | 'purpose'>): void {
    const { database, logger } = this.#options;
    const thread = new Thread<never>({
      entry: new URL('./backtest-thread.ts', import.meta.url),
      name: 'backtest',
      settings: { database, workspace, id, purpose } satisfies BacktestThreadSettings,
      onEnd: (error) => {
        this.#running.delete(id);
        if (error === undefined) return;
        logger.error({ workspace: workspace.id, backtest: id, err: error }, `a ${purpose} failed`);
        void this.#end(id, whyItFailed(error));
      },
    });
    this.#running.set(id, thread);
  }

  /**
   * Cancels one, and ends it at once if it runs here.
   *
   * @throws Problem `thing.unknown`
   */
  async cancel(workspace: Pick<Workspace, 'id'>, id: number): Promise<void> {
    await cancelBacktest(this.#options.pool, workspace.id, id);
    await this.#running.get(id)?.stop();
  }

  /**
   * Cancels a training or comparison, and ends it at once if it runs here.
   *
   * @throws Problem `thing.unknown`
   */
  async cancelTraining(workspace: Pick<Workspace, 'id'>, id: number): Promise<void> {
    await cancelTraining(this.#options.pool, workspace.id, id);
    await this.#running.get(id)?.stop();
  }

  /** Ends those that run here; they are stored as failed. */
  async stop(): Promise<void> {
    for (const [id, thread] of this.#running) {
      await thread.stop();
      await this.#end(id, 'The service was stopped.');
    }
  }

  /** If this fails, the missing heartbeat ends it. */
  async #end(id: number, error: string): Promise<void> {
    await endBacktest(this.#options.pool, id, { state: 'failed', error }).catch(() => undefined);
  }
}
