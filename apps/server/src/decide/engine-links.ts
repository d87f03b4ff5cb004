import type { MessagePort } from 'node:worker_threads';
import type { StoredBlock } from '@ringfence/log';
import type { DecidedNotice } from '../records/decided-notice.ts';
import type { LiveAnswer, LiveQuestion } from '../records/live-status.ts';
import { EngineCondition, EngineConditions } from './engine-condition.ts';
import type { FromIngest, ToIngest } from './messages.ts';

export interface LinkHandlers {
  /** Decisions were committed. */
  readonly onDecided: (notice: DecidedNotice) => void;
  /** A deciding thread answered some questions of `askStatus`. */
  readonly onStatus: (answers: readonly LiveAnswer[]) => void;
}

interface Link {
  readonly port: MessagePort;
  readonly condition: EngineCondition;
}

/** The deciding threads of this process, as a thread that takes events sees them: a port to each. */
export class EngineLinks {
  readonly condition: EngineConditions;
  readonly #links: readonly Link[];

  constructor(ports: readonly MessagePort[], handlers: LinkHandlers) {
    this.#links = ports.map((port) => linkOf(port, handlers));
    this.condition = new EngineConditions(this.#links.map(({ condition }) => condition));
  }

  /**
   * Hands the records of an append of this thread to the thread that decides the workspace, so that it need not read
   * them: faster than the database's notification, which is all that the others need.
   *
   * @returns whether a thread of this process decides the workspace
   */
  appended(workspaceId: string, end: number, copy: () => StoredBlock): boolean {
    const owner = this.#ownerOf(workspaceId);
    if (owner === undefined) return false;
    const block = copy();
    const message: FromIngest = { kind: 'appended', workspaceId, end, block };
    owner.port.postMessage(message, [block.frames.buffer]);
    return true;
  }

  /** Whether the workspace is decided by this process. */
  decides(workspaceId: string): boolean {
    return this.#ownerOf(workspaceId) !== undefined;
  }

  /** Asks the deciding thread, which answers by `onStatus`, or not at all if it does not decide the workspace any more. */
  askStatus(workspaceId: string, questions: readonly LiveQuestion[]): void {
    const owner = this.#ownerOf(workspaceId);
    owner?.port.postMessage({ kind: 'statusAsked', workspaceId, questions } satisfies FromIngest);
  }

  close(): void {
    for (const { port } of this.#links) port.close();
  }

  #ownerOf(workspaceId: string): Link | undefined {
    return this.#links.find(({ condition }) => condition.decides(workspaceId));
  }
}

function linkOf(port: MessagePort, { onDecided, onStatus }: LinkHandlers): Link {
  const condition = new EngineCondition();
  port.on('message', (message: ToIngest) => {
    switch (message.kind) {
      case 'decided':
        condition.decided(message.workspaceId);
        onDecided(message);
        return;
      case 'statusAnswered':
        onStatus(message.answers);
        return;
      default:
        condition.hear(message);
    }
  });
  return { port, condition };
}
