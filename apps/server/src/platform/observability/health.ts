import type { FastifyPluginAsync } from 'fastify';

/** One condition for this process to be healthy. */
export interface HealthCheck {
  readonly name: string;
  /** Throws or returns false if the check fails. */
  readonly isWell: () => boolean | Promise<boolean>;
  /** The process stays ready although this check fails: the failure is shown, but traffic is not redirected. */
  readonly isServing?: true;
}

export interface HealthDeps {
  readonly checks: readonly HealthCheck[];
  /** Milliseconds of a clock that never jumps. */
  readonly monotonicMs: () => number;
  readonly onChange: (change: HealthChange) => void;
}

/** A check starts to fail, or passes again. */
export type HealthChange =
  | {
      readonly check: string;
      readonly well: false;
      readonly error: unknown;
      /** How often it has started to fail since the start of the process, including this time. */
      readonly times: number;
      /** Whether it has passed since the start. If not, it may still be starting. */
      readonly wasWell: boolean;
    }
  | { readonly check: string; readonly well: true; readonly failedMs: number };

/** A check that takes longer has failed. */
const checkMsMax = 2_000;
/** How long an answer is cached: `/readyz` cannot overload the database, and readiness is reported promptly. */
const answerMs = 100;

export interface Readiness {
  readonly ready: boolean;
  /** By name of the check. */
  readonly checks: Readonly<Record<string, 'well' | 'impaired' | 'failed'>>;
}

const stopped: Readiness = { ready: false, checks: { running: 'failed' } };

/** The state behind `/readyz`, including whether the process is stopping. */
export class Health {
  readonly #deps: HealthDeps;
  /** Checks that have failed. `sinceMs`: when a currently failing one started to. */
  readonly #failures = new Map<string, { readonly times: number; readonly sinceMs: number | undefined }>();
  /** Checks that have passed since the start. */
  readonly #wereWell = new Set<string>();
  #stopping = false;
  #answer: Promise<Readiness> | undefined;
  /** `undefined` while the checks are running. */
  #answeredAtMs: number | undefined;

  constructor(deps: HealthDeps) {
    this.#deps = deps;
  }

  /** From now on not ready, so load balancers send no new requests. */
  stop(): void {
    this.#stopping = true;
  }

  /** At most a tenth of a second old. Checks that are still running are not started a second time. */
  async readiness(): Promise<Readiness> {
    if (this.#stopping) return stopped;
    if (this.#answer === undefined || this.#isOld()) {
      this.#answeredAtMs = undefined;
      this.#answer = this.#ask().finally(() => {
        this.#answeredAtMs = this.#deps.monotonicMs();
      });
    }
    const answer = await this.#answer;
    // It may have been announced while checks were running.
    return this.#stopping ? stopped : answer;
  }

  #isOld(): boolean {
    if (this.#answeredAtMs === undefined) return false;
    return this.#deps.monotonicMs() - this.#answeredAtMs >= answerMs;
  }

  async #ask(): Promise<Readiness> {
    const results = await Promise.all(
      this.#deps.checks.map(async (check) => [check.name, await this.#run(check)] as const),
    );
    return { ready: results.every(([, state]) => state !== 'failed'), checks: Object.fromEntries(results) };
  }

  async #run({ name, isWell, isServing }: HealthCheck): Promise<'well' | 'impaired' | 'failed'> {
    let error: unknown;
    let well = false;
    try {
      well = await withinTime(isWell);
    } catch (caught) {
      error = caught;
    }
    this.#note(name, well, error);
    return well ? 'well' : isServing === true ? 'impaired' : 'failed';
  }

  #note(check: string, well: boolean, error: unknown): void {
    const { monotonicMs, onChange } = this.#deps;
    const { times, sinceMs } = this.#failures.get(check) ?? neverFailed;
    if (well) this.#wereWell.add(check);
    if (well && sinceMs !== undefined) {
      this.#failures.set(check, { times, sinceMs: undefined });
      onChange({ check, well, failedMs: Math.round(monotonicMs() - sinceMs) });
    } else if (!well && sinceMs === undefined) {
      this.#failures.set(check, { times: times + 1, sinceMs: monotonicMs() });
      onChange({ check, well, error, times: times + 1, wasWell: this.#wereWell.has(check) });
    }
  }
}

const neverFailed = { times: 0, sinceMs: undefined };

interface HealthLogger {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

/**
 * Logs every change. `times` makes each line unique, so that none is suppressed as a repetition. The database has its
 * own messages, since most other failures during an outage are caused by it. At startup the engine is not ready for a
 * while, which is no reason for a warning.
 */
export function sayHealth(logger: HealthLogger): HealthDeps['onChange'] {
  return (change) => {
    const { check, well } = change;
    const isDatabase = check === 'database';
    if (well) {
      const fields = { check, well, failedMs: change.failedMs };
      logger.info(fields, isDatabase ? 'the database answers again' : 'health changed');
      return;
    }
    const fields = { check, well, times: change.times, err: change.error };
    if (isDatabase) logger.error(fields, 'the database does not answer');
    else if (!change.wasWell && change.error === undefined) logger.info({ check, well }, 'not ready yet');
    else logger.warn(fields, 'health changed');
  };
}

async function withinTime(isWell: HealthCheck['isWell']): Promise<boolean> {
  const late = Promise.withResolvers<boolean>();
  const timer = setTimeout(() => late.reject(new Error(`no answer within ${checkMsMax} ms`)), checkMsMax);
  try {
    return await Promise.race([isWell(), late.promise]);
  } finally {
    clearTimeout(timer);
  }
}

/**
 * `GET /healthz`: 200 as long as the process answers. `GET /readyz`: 200 if no check has failed, else 503 with the
 * names of the failed ones; the reasons are in the log, not in the answer.
 */
export function healthPlugin(health: Pick<Health, 'readiness'>): FastifyPluginAsync {
  return async (app) => {
    const options = { logLevel: 'silent' } as const;
    app.get('/healthz', options, async (_, reply) => {
      reply.header('cache-control', 'no-store');
      return { status: 'alive' };
    });
    app.get('/readyz', options, async (_, reply) => {
      const { ready, checks } = await health.readiness();
      reply.header('cache-control', 'no-store').code(ready ? 200 : 503);
      return { status: ready ? 'ready' : 'notReady', checks };
    });
  };
}
