import { setTimeout as sleep } from 'node:timers/promises';
import { secondMs } from '@ringfence/contract';
import type { Logger } from 'pino';
import { sayDeclaredLate } from './config/say-declared.ts';
import type { Cell } from './open-cell.ts';
import { OperatorError } from './platform/observability/operator-error.ts';
import { Stages } from './platform/stages.ts';

/** Between two attempts to open a database that could not be opened. */
const reopenMs = 2 * secondMs;

export interface CellsOptions {
  readonly logger: Logger;
  /** Opens a further database. Rejects if it cannot be reached, or is not the right one. */
  readonly open: (name: string, stages: Stages) => Promise<Cell>;
  /** A database is open now. */
  readonly onOpen: (cell: Cell) => void;
}

/** The databases of a process: the home database is always open, the further ones as soon as they can be reached. */
export class Cells {
  readonly home: Cell;
  readonly #options: CellsOptions;
  readonly #further = new Map<string, Cell>();
  readonly #late = new Set<Cell>();
  /** Why the others are not open. */
  readonly #failures = new Map<string, unknown>();
  readonly #stop = new AbortController();

  constructor(home: Cell, options: CellsOptions) {
    this.home = home;
    this.#options = options;
  }

  /** Those that are open, the home database first. */
  all(): readonly Cell[] {
    return [this.home, ...this.#further.values()];
  }

  /** Those that opened at the first attempt. */
  atFirst(): readonly Cell[] {
    return this.all().filter((cell) => !this.#late.has(cell));
  }

  get(name: string): Cell | undefined {
    return name === this.home.name ? this.home : this.#further.get(name);
  }

  /** Why a database is not open. */
  failure(name: string): unknown {
    return this.#failures.get(name);
  }

  /**
   * Tries to open all of them once, and keeps trying with those that fail: the others go on without them.
   *
   * @param stages where each registers how it is stopped
   */
  async open(names: readonly string[], stages: Stages): Promise<void> {
    await Promise.all(names.map((name) => this.#openFirst(name, stages)));
  }

  async #openFirst(name: string, stages: Stages): Promise<void> {
    let present = new Stages();
    let trying: Promise<void> = Promise.resolve();
    stages.started(
      `database ${name}`,
      async () => {
        this.#stop.abort();
        await trying;
        await this.#close(present);
      },
      () => present.cut(),
    );
    const attempt = async (): Promise<boolean> => {
      present = new Stages();
      return this.#openOnce(name, present);
    };
    if (!(await attempt())) trying = this.#keepTrying(name, attempt);
  }

  async #keepTrying(name: string, attempt: () => Promise<boolean>): Promise<void> {
    do {
      await sleep(reopenMs, undefined, { signal: this.#stop.signal }).catch(() => undefined);
    } while (!this.#stop.signal.aborted && !(await attempt()));
    const cell = this.#further.get(name);
    if (cell === undefined) return;
    this.#late.add(cell);
    sayDeclaredLate(cell.declared, cell.logger);
  }

  async #openOnce(name: string, stages: Stages): Promise<boolean> {
    const { logger, open, onOpen } = this.#options;
    try {
      const cell = await open(name, stages);
      this.#further.set(name, cell);
      this.#failures.delete(name);
      onOpen(cell);
      return true;
    } catch (error) {
      this.#failures.set(name, error);
      const mend = error instanceof OperatorError ? { mend: error.mend } : {};
      logger.error(
        { cell: name, err: error, ...mend },
        'a database cannot be opened; its workspaces are not served; will retry',
      );
      await this.#close(stages);
      return false;
    }
  }

  async #close(stages: Stages): Promise<void> {
    const { logger } = this.#options;
    await stages.stop({
      onError: (part, error) => logger.error({ part, err: error }, 'a part did not stop cleanly'),
      onCut: () => undefined,
    });
  }
}
