import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import {
  type LiveQuestion,
  parseAnswers,
  parseQuestions,
  printAnswers,
  printQuestions,
  questionsOfNoticeMax,
  sessionRef,
} from '../../src/records/live-status.ts';

const index = randomBytes(32);
const asker = 'a'.repeat(16);
/** The longest that is allowed, but for one. */
const longest: LiveQuestion = {
  number: 999_999_999_999_999,
  subject: 'b'.repeat(16),
  session: sessionRef(index, 's-1'),
  channelId: 2_147_483_647,
};

describe('questions and answers between processes', () => {
  it('are read as they were written', () => {
    const questions = [longest, { ...longest, session: '', channelId: undefined }];
    const asked = { asker, workspaceId: 'prodprod', questions };
    expect(parseQuestions(printQuestions(asked))).toEqual(asked);
    const answers = [
      { number: 1, active: true, blockedUntilMs: undefined },
      { number: 2, active: false, blockedUntilMs: 1_795_256_130_000 },
    ];
    expect(parseAnswers(printAnswers(asker, answers), asker)).toEqual(answers);
    expect(parseAnswers(printAnswers(asker, answers), 'another')).toBeUndefined();
  });

  it('fit a notification when there are as many as allowed, and name no session in plain', () => {
    const questions = Array.from({ length: questionsOfNoticeMax }, () => longest);
    const payload = printQuestions({ asker, workspaceId: 'w'.repeat(32), questions });
    expect(payload.length).toBeLessThan(8_000);
    expect(payload).not.toContain('s-1');
    const answers = questions.map(({ number }) => ({ number, active: true, blockedUntilMs: 999_999_999_999_999 }));
    expect(printAnswers(asker, answers).length).toBeLessThan(8_000);
  });

  it.each(['', 'a', 'a b c', 'a b 1.c.x.', 'A b', `a b ${'1.c.. '.repeat(81).trim()}`, "a b 1.c.1.'"])(
    '%j is ignored, because anybody on the database can send it',
    (payload) => {
      expect(parseQuestions(payload)?.questions ?? []).toEqual([]);
      expect(parseAnswers(payload, 'a') ?? []).toEqual([]);
    },
  );
});
