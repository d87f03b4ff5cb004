import type { Notifications } from '@ringfence/log';
import type { Pool } from 'pg';
import { NoticeQueue } from '../../records/notice-queue.ts';
import {
  type LiveAnswer,
  type LiveQuestion,
  parseAnswers,
  printQuestions,
  questionsOfNoticeMax,
  statusAnsweredChannel,
  statusAskedChannel,
} from '../../records/live-status.ts';
import { randomId } from '../../platform/secrets/random-id.ts';

/** After this long the engine has no time, or no process decides the workspace. */
const answerMsMax = 1_000;
/** Open questions: four times what a bank asks within the time-out. */
const openMax = 2_000;

/** The engine of this process. */
export interface OwnEngine {
  decides(workspaceId: string): boolean;
  askStatus(workspaceId: string, questions: readonly LiveQuestion[]): void;
}

export interface LiveStatusDeps {
  readonly pool: Pool;
  readonly notifications: Notifications;
  /** `undefined` in a process that does not decide. */
  readonly engine: () => OwnEngine | undefined;
  readonly onError: (error: unknown) => void;
}

interface Asked {
  readonly answer: (answer: LiveAnswer | undefined) => void;
  readonly timer: NodeJS.Timeout;
}

/**
 * Asks the engine that decides a workspace, in this process or in another, about sessions and blocks. A checkpoint is
 * seconds old: only that engine knows. Questions of one event-loop turn share a message.
 */
export class LiveStatus {
  readonly #deps: LiveStatusDeps;
  readonly #asker = randomId(16);
  readonly #notices: NoticeQueue;
  readonly #open = new Map<number, Asked>();
  /** Questions of this turn, by workspace. */
  #unsent = new Map<string, LiveQuestion[]>();
  #number = 0;
  #hearNoMore: (() => void) | undefined;

  constructor(deps: LiveStatusDeps) {
    this.#deps = deps;
    this.#notices = new NoticeQueue(deps.pool, statusAskedChannel, deps.onError);
  }

  /** `undefined` if no engine answers in time. */
  ask(workspaceId: string, question: Omit<LiveQuestion, 'number'>): Promise<LiveAnswer | undefined> {
    if (this.#open.size >= openMax) return Promise.resolve(undefined);
    const number = ++this.#number;
    return new Promise((resolve) => {
      const answer = (given: LiveAnswer | undefined): void => {
        clearTimeout(timer);
        this.#open.delete(number);
        resolve(given);
      };
      const timer = setTimeout(() => answer(undefined), answerMsMax);
      this.#open.set(number, { answer, timer });
      if (this.#unsent.size === 0) setImmediate(() => this.#send());
      const unsent = this.#unsent.get(workspaceId) ?? [];
      unsent.push({ ...question, number });
      this.#unsent.set(workspaceId, unsent);
    });
  }

  /** Takes the answers of this process's engine. */
  hear(answers: readonly LiveAnswer[]): void {
    for (const answer of answers) this.#open.get(answer.number)?.answer(answer);
  }

  async close(): Promise<void> {
    this.#hearNoMore?.();
    for (const { answer } of this.#open.values()) answer(undefined);
    await this.#notices.close();
  }

  #send(): void {
    const unsent = this.#unsent;
    this.#unsent = new Map();
    const engine = this.#deps.engine();
    for (const [workspaceId, questions] of unsent) {
      if (engine?.decides(workspaceId) === true) engine.askStatus(workspaceId, questions);
      else this.#askOthers(workspaceId, questions);
    }
  }

  #askOthers(workspaceId: string, questions: readonly LiveQuestion[]): void {
    this.#hearNoMore ??= this.#deps.notifications.hear(statusAnsweredChannel, {
      told: (payload) => this.hear(parseAnswers(payload, this.#asker) ?? []),
    });
    const payloads: string[] = [];
    for (let at = 0; at < questions.length; at += questionsOfNoticeMax) {
      const some = questions.slice(at, at + questionsOfNoticeMax);
      payloads.push(printQuestions({ asker: this.#asker, workspaceId, questions: some }));
    }
    this.#notices.send(payloads);
  }
}
