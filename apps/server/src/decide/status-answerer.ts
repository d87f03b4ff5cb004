import type { Notifications } from '@ringfence/log';
import type { Pool } from 'pg';
import type { PartitionKeeper } from './partition-keeper.ts';
import { NoticeQueue } from '../records/notice-queue.ts';
import {
  type LiveAnswer,
  type LiveQuestion,
  parseQuestions,
  printAnswers,
  statusAnsweredChannel,
  statusAskedChannel,
} from '../records/live-status.ts';

/** Questions being answered; further ones are ignored, and their askers stop waiting after a second. */
const openMax = 2_000;

export interface StatusAnswererDeps {
  readonly pool: Pool;
  readonly notifications: Notifications;
  readonly keeper: Pick<PartitionKeeper, 'liveStatus'>;
  readonly onError: (error: unknown) => void;
}

/** Answers questions about clients, of this process and of others, for the workspaces that this thread decides. */
export class StatusAnswerer {
  readonly #deps: StatusAnswererDeps;
  readonly #answers: NoticeQueue;
  #hearNoMore: (() => void) | undefined;
  #open = 0;

  constructor(deps: StatusAnswererDeps) {
    this.#deps = deps;
    this.#answers = new NoticeQueue(deps.pool, statusAnsweredChannel, deps.onError);
  }

  /** Hears the questions of other processes from now on. */
  start(): void {
    this.#hearNoMore = this.#deps.notifications.hear(statusAskedChannel, {
      told: (payload) => {
        const asked = parseQuestions(payload);
        if (asked === undefined) return;
        const { asker, workspaceId, questions } = asked;
        void this.answer(workspaceId, questions, (answers) => this.#answers.send([printAnswers(asker, answers)]));
      },
    });
  }

  /** Never rejects. */
  async answer(
    workspaceId: string,
    questions: readonly LiveQuestion[],
    send: (answers: readonly LiveAnswer[]) => void,
  ): Promise<void> {
    if (this.#open + questions.length > openMax) return;
    this.#open += questions.length;
    try {
      const answers = await this.#deps.keeper.liveStatus(workspaceId, questions);
      if (answers !== undefined) send(answers);
    } catch (error) {
      this.#deps.onError(error);
    }
    this.#open -= questions.length;
  }

  async close(): Promise<void> {
    this.#hearNoMore?.();
    await this.#answers.close();
  }
}
