/**
 * Questions to the engine that decides a workspace, and its answers, as one process sends them to another by
 * notifications of the database. They name a client by its random id and a session by a keyed hash.
 */
import { blindIndex } from '../platform/secrets/blind-index.ts';

/** The NOTIFY channels: every deciding thread hears the questions, every process that asks hears the answers. */
export const statusAskedChannel = 'ringfence_status_asked';
export const statusAnsweredChannel = 'ringfence_status_answered';

/** Whether a session is active and its client blocked, at the time of the answer. */
export interface LiveQuestion {
  /** Distinguishes the questions of one asker. */
  readonly number: number;
  readonly subject: string;
  /** As `sessionRef` makes it; "" is the unnamed session. */
  readonly session: string;
  /** `undefined`: in any channel. */
  readonly channelId: number | undefined;
}

export interface LiveAnswer {
  readonly number: number;
  readonly active: boolean;
  readonly blockedUntilMs: number | undefined;
}

export interface AskedLive {
  /** Random name of the process that asks. */
  readonly asker: string;
  readonly workspaceId: string;
  readonly questions: readonly LiveQuestion[];
}

/** With 16 bytes, two sessions of one client cannot collide by chance. */
const refBytes = 16;
/** PostgreSQL allows 8,000 bytes per notification; a question has at most 96, an answer 48. */
export const questionsOfNoticeMax = 80;

/** The keyed hash that names a session outside its workspace's engine. */
export function sessionRef(indexKey: Uint8Array, session: string): string {
  return session === '' ? '' : shortRef(blindIndex(indexKey, session, 'session'));
}

/** The same from the whole hash, as rows of events contain it. */
export function shortRef(sessionIndex: Uint8Array | null): string {
  return sessionIndex === null ? '' : Buffer.from(sessionIndex.subarray(0, refBytes)).toString('base64url');
}

export function printQuestions({ asker, workspaceId, questions }: AskedLive): string {
  const printed = questions.map((question) =>
    [question.number, question.subject, question.channelId ?? '', question.session].join('.'),
  );
  return [asker, workspaceId, ...printed].join(' ');
}

/** `undefined` for any other payload: every client of the database can send one. */
export function parseQuestions(payload: string): AskedLive | undefined {
  const [asker = '', workspaceId = '', ...printed] = payload.split(' ');
  if (!isName(asker) || !isName(workspaceId) || printed.length > questionsOfNoticeMax) return undefined;
  const questions: LiveQuestion[] = [];
  for (const text of printed) {
    const parts = /^(\d{1,15})\.([a-z2-7]{1,32})\.(\d{0,10})\.([\w-]{0,22})$/.exec(text);
    if (parts === null) return undefined;
    const [, number = '', subject = '', channel = '', session = ''] = parts;
    const channelId = channel === '' ? undefined : Number(channel);
    questions.push({ number: Number(number), subject, channelId, session });
  }
  return { asker, workspaceId, questions };
}

export function printAnswers(asker: string, answers: readonly LiveAnswer[]): string {
  const printed = answers.map(({ number, active, blockedUntilMs }) =>
    [number, active ? 1 : 0, blockedUntilMs ?? ''].join('.'),
  );
  return [asker, ...printed].join(' ');
}

/** The answers to this asker; `undefined` for those to others, and for any other payload. */
export function parseAnswers(payload: string, asker: string): readonly LiveAnswer[] | undefined {
  const [to, ...printed] = payload.split(' ');
  if (to !== asker || printed.length > questionsOfNoticeMax) return undefined;
  const answers: LiveAnswer[] = [];
  for (const text of printed) {
    const parts = /^(\d{1,15})\.([01])\.(\d{0,15})$/.exec(text);
    if (parts === null) return undefined;
    const [, number = '', active = '', until = ''] = parts;
    const blockedUntilMs = until === '' ? undefined : Number(until);
    answers.push({ number: Number(number), active: active === '1', blockedUntilMs });
  }
  return answers;
}

function isName(text: string): boolean {
  return /^[a-z2-7]{1,32}$/.test(text);
}
