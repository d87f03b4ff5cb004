import { Type } from 'typebox';
import { count, word } from '../server/members.ts';

/** Events that stand in every stream that answers a question about the log. */

export const progressSchema = Type.Object(
  { done: count('Records gone through.', 48_112), total: count('Of so many.', 1_754_155) },
  { title: 'InquiryProgress' },
);

export const streamProblemSchema = Type.Object(
  {
    code: word('As of a problem.', 'state.conflict'),
    status: count('The status that it would have had.', 409),
    title: word('What it is.', 'The present state does not allow this.'),
    detail: word('What was wrong.', 'The engine has not decided this event.'),
  },
  { title: 'InquiryProblem', description: 'Ends the stream: there is no answer.' },
);
