import { Type } from 'typebox';
import { count, nonPersonalWord } from '../server/members.ts';

/** Events of every stream that answers a query of the log. */

export const progressSchema = Type.Object(
  { done: count('Records processed.', 48_112), total: count('Records in total.', 1_754_155) },
  { title: 'InquiryProgress' },
);

export const streamProblemSchema = Type.Object(
  {
    code: nonPersonalWord('Code of the problem.', 'state.conflict'),
    status: count('The HTTP status that corresponds to it.', 409),
    title: nonPersonalWord('What happened, in general.', 'The current state does not allow this.'),
    detail: nonPersonalWord('What was wrong.', 'The engine has not decided this event.'),
  },
  { title: 'InquiryProblem', description: 'Ends the stream: there is no answer.' },
);
