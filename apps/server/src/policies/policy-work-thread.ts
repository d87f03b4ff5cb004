/** A thread that compiles policies, one task after the other. Started by `PolicyWorkers`. */
import { type FieldError, Problem, type ProblemCode } from '@ringfence/contract';
import { enterThread } from '../platform/thread.ts';
import { doTask, type PolicyTask, type ResultOf } from './policy-work.ts';

/** The answer to a task. Any other failure ends the thread. */
export type PolicyAnswer =
  | { readonly ok: true; readonly result: ResultOf<PolicyTask> }
  | {
      readonly ok: false;
      readonly code: ProblemCode;
      readonly detail: string;
      readonly errors: readonly FieldError[];
    };

// The YAML library looks at a variable of the environment for every token, which costs as much as the token itself. A
// plain object answers at once, and nothing else in this thread reads the environment.
process.env = {};

const { port } = enterThread('waitedFor');
port.on('message', (task: PolicyTask) => port.postMessage(answerOf(task)));

function answerOf(task: PolicyTask): PolicyAnswer {
  try {
    return { ok: true, result: doTask(task) };
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    const { code, detail, errors } = error;
    return { ok: false, code, detail, errors };
  }
}
