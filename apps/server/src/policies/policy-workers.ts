import { Problem } from '@ringfence/contract';
import { isOutOfMemory, Thread } from '../platform/thread.ts';
import type { PolicyTask, PolicyWork, ResultOf } from './policy-work.ts';
import type { PolicyAnswer } from './policy-work-thread.ts';

/** For whom a task is done. */
export interface Asker {
  /** The account: its tasks are done one after the other. */
  readonly by: string;
  /** Aborted when the client does not wait for the answer any more: the task is dropped, or its thread ended. */
  readonly signal: AbortSignal;
}

export interface PolicyWorkersOptions {
  readonly logger: { error(fields: object, message: string): void };
  /** Overrides of `policyWorkLimits`, for tests. */
  readonly limits?: Partial<PolicyWorkLimits>;
}

export interface PolicyWorkLimits {
  /** Threads of this process. */
  readonly threadsMax: number;
  /** Tasks of one account that are done or wait. More are refused. */
  readonly tasksMax: number;
  /** Processor time that a task may take: ten times the dearest policy. A busy machine refuses no policy. */
  readonly taskMsMax: number;
  /** The same for the tests of a policy: 500 tests of some hundred events. */
  readonly testMsMax: number;
  /** A thread without work ends after this time: it holds some ten MB. */
  readonly idleMs: number;
  /** Memory of one thread: five times the dearest policy. */
  readonly memoryMb: number;
}

export const policyWorkLimits: PolicyWorkLimits = {
  threadsMax: 2,
  tasksMax: 4,
  taskMsMax: 30_000,
  testMsMax: 60_000,
  idleMs: 60_000,
  memoryMb: 512,
};

/** V8's young generation: a policy is many short-lived objects, which a larger one copies less often. */
const youngMb = 64;
/** A thread that gets no processor time is not asked more often. */
const judgeAgainMs = 100;
/** A guess: the end of the running tasks is unknown. */
const askAgainSeconds = 2;

interface Job {
  readonly task: PolicyTask;
  readonly by: string;
  readonly settle: (answer: PolicyAnswer | Problem) => void;
}

/**
 * Compiles, checks, compares and tests policies in threads of low priority, so that no policy can stop the thread that
 * serves requests. Of each account one task is done at a time, the others wait in their order. Tests occupy at most all
 * threads but one. Threads are kept for the next task, and end when there is none for a while.
 */
export class PolicyWorkers {
  readonly #logger: PolicyWorkersOptions['logger'];
  readonly #limits: PolicyWorkLimits;
  readonly #threads = new Set<PolicyThread>();
  /** Oldest first. Bounded by `tasksMax` of each account. */
  readonly #waiting: Job[] = [];

  constructor({ logger, limits }: PolicyWorkersOptions) {
    this.#logger = logger;
    this.#limits = { ...policyWorkLimits, ...limits };
  }

  /** The tasks of one request. Every one throws Problem `policy.invalid`, or `rate.limited` for too many at once. */
  for({ by, signal }: Asker): PolicyWork {
    return async <Task extends PolicyTask>(task: Task) => {
      if (signal.aborted) throw closed();
      if (this.#tasksOf(by) >= this.#limits.tasksMax) throw tooMany(by, this.#limits);
      const { promise, resolve } = Promise.withResolvers<PolicyAnswer | Problem>();
      const job: Job = { task, by, settle: resolve };
      const drop = (): void => this.#drop(job);
      signal.addEventListener('abort', drop, { once: true });
      this.#waiting.push(job);
      this.#assign();
      const answer = await promise.finally(() => signal.removeEventListener('abort', drop));
      if (answer instanceof Problem) throw answer;
      if (!answer.ok) throw new Problem(answer.code, answer.detail, { errors: answer.errors });
      return answer.result as ResultOf<Task>;
    };
  }

  /** Ends all threads. */
  async stop(): Promise<void> {
    for (const { settle } of this.#waiting.splice(0)) settle(closed());
    await Promise.all([...this.#threads].map((thread) => thread.end(closed())));
  }

  #tasksOf(by: string): number {
    return this.#running().filter((job) => job.by === by).length + this.#waiting.filter((job) => job.by === by).length;
  }

  #running(): readonly Job[] {
    return [...this.#threads].flatMap(({ job }) => job ?? []);
  }

  #drop(job: Job): void {
    const at = this.#waiting.indexOf(job);
    if (at !== -1) this.#waiting.splice(at, 1);
    job.settle(closed());
    for (const thread of this.#threads) if (thread.job === job) void thread.end(closed());
  }

  /** Gives waiting tasks to threads, as far as both are free. */
  #assign(): void {
    for (;;) {
      const at = this.#waiting.findIndex((job) => this.#mayRun(job));
      const thread = at === -1 ? undefined : this.#freeThread();
      if (thread === undefined) return;
      const [job] = this.#waiting.splice(at, 1);
      thread.take(job!);
    }
  }

  #mayRun({ by, task }: Job): boolean {
    const running = this.#running();
    const tests = running.filter((job) => job.task.kind === 'test').length;
    return running.every((job) => job.by !== by) && (task.kind !== 'test' || tests < this.#limits.threadsMax - 1);
  }

  #freeThread(): PolicyThread | undefined {
    const idle = [...this.#threads].find((thread) => thread.isFree);
    if (idle !== undefined || this.#threads.size >= this.#limits.threadsMax) return idle;
    const thread = new PolicyThread({
      limits: this.#limits,
      logger: this.#logger,
      onFree: () => this.#assign(),
      onEnd: () => {
        this.#threads.delete(thread);
        this.#assign();
      },
    });
    this.#threads.add(thread);
    return thread;
  }
}

/** One thread, and the task that it does: free -> task -> free -> ... -> ended. */
class PolicyThread {
  readonly #limits: PolicyWorkLimits;
  readonly #onFree: () => void;
  readonly #thread: Thread<PolicyAnswer, PolicyTask>;
  #job: Job | undefined;
  #isEnding = false;
  /** Processor time of the thread before the task. */
  #usedMs = Promise.resolve(0);
  /** Until the end of the task, or of the idle time. */
  #timer: NodeJS.Timeout | undefined;

  constructor(of: {
    readonly limits: PolicyWorkLimits;
    readonly logger: PolicyWorkersOptions['logger'];
    readonly onFree: () => void;
    readonly onEnd: () => void;
  }) {
    const { limits, logger, onFree, onEnd } = of;
    this.#limits = limits;
    this.#onFree = onFree;
    this.#thread = new Thread({
      entry: new URL('./policy-work-thread.ts', import.meta.url),
      name: 'policy',
      settings: {},
      memoryMb: limits.memoryMb,
      youngMb,
      onMessage: (answer) => this.#finish(answer),
      onEnd: (error) => {
        this.#isEnding = true;
        clearTimeout(this.#timer);
        if (error !== undefined) {
          if (!isOutOfMemory(error)) logger.error({ err: error }, 'a policy could not be checked');
          this.#job?.settle(isOutOfMemory(error) ? tooLarge(limits) : failed(error));
        }
        this.#job = undefined;
        onEnd();
      },
    });
  }

  get job(): Job | undefined {
    return this.#job;
  }

  get isFree(): boolean {
    return this.#job === undefined && !this.#isEnding;
  }

  take(job: Job): void {
    this.#job = job;
    const msMax = job.task.kind === 'test' ? this.#limits.testMsMax : this.#limits.taskMsMax;
    this.#wait(msMax, () => void this.#judge(job, msMax));
    this.#thread.send(job.task);
  }

  /** Ends a task that has used its processor time, and lets another one go on. */
  async #judge(job: Job, msMax: number): Promise<void> {
    const leftMs = msMax - ((await this.#thread.processorMs()) - (await this.#usedMs));
    if (this.#job !== job) return;
    if (leftMs <= 0) return this.end(tooSlow(job, msMax));
    this.#wait(Math.max(leftMs, judgeAgainMs), () => void this.#judge(job, msMax));
  }

  /** Ends the thread, and its task with this problem. */
  async end(problem: Problem): Promise<void> {
    this.#isEnding = true;
    this.#job?.settle(problem);
    await this.#thread.stop();
  }

  #finish(answer: PolicyAnswer): void {
    this.#job?.settle(answer);
    this.#job = undefined;
    this.#usedMs = this.#thread.processorMs();
    this.#wait(this.#limits.idleMs, () => void this.end(closed()));
    this.#onFree();
  }

  #wait(ms: number, end: () => void): void {
    clearTimeout(this.#timer);
    // An idle thread does not keep the process alive.
    this.#timer = setTimeout(end, ms).unref();
  }
}

/** Reaches no one, except at the end of the service. */
function closed(): Problem {
  return new Problem('rate.limited', 'The check was ended.', { retryAfterSeconds: askAgainSeconds });
}

function tooMany(by: string, { tasksMax }: PolicyWorkLimits): Problem {
  const detail = `${tasksMax} policies of ${by} are being checked, one after the other. Wait for an answer first.`;
  return new Problem('rate.limited', detail, { retryAfterSeconds: askAgainSeconds });
}

function tooSlow({ task }: Job, msMax: number): Problem {
  const what = task.kind === 'test' ? 'The tests took' : 'The check took';
  return new Problem(
    'policy.invalid',
    `${what} more than ${msMax / 1_000} s of processor time: make the policy smaller.`,
  );
}

function tooLarge({ memoryMb }: PolicyWorkLimits): Problem {
  return new Problem('policy.invalid', `The policy needs more than ${memoryMb} MB: make it smaller.`);
}

function failed(cause: Error): Problem {
  return new Problem('service.failed', 'Internal error: see the log of the service.', { cause });
}
