import { Problem } from '@ringfence/contract';
import { LogUnavailableError, PartitionClosedError } from '@ringfence/log';
import { hasLeft } from '../tenancy/move/has-left.ts';

/** The log itself rejects an event after a similar wait, so every sender has an answer within 2 s. */
const waitMsMax = 1_400;
/** For a sender whose request could not be stored. */
const retryAfterSeconds = 1;

/** The database has the log, the clients' keys and the reports; without it nothing can be stored. */
export async function orUnavailable<T>(answer: Promise<T>): Promise<T> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(
    () => late.reject(new LogUnavailableError('the database did not answer in time')),
    waitMsMax,
  );
  try {
    return await Promise.race([answer, late.promise]);
  } catch (error) {
    if (hasLeft(error)) throw new PartitionClosedError('the workspace is in another database', { cause: error });
    throw error instanceof Problem ? error : unavailable(error);
  } finally {
    clearTimeout(timer);
  }
}

export function unavailable(cause: unknown): Problem {
  const detail = 'The event may not have been stored. Send it again with the same Idempotency-Key.';
  return new Problem('log.unavailable', detail, { cause, retryAfterSeconds });
}
