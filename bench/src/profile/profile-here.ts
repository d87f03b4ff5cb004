import { Session } from 'node:inspector/promises';
import { type CpuProfile, type ProfileSummary, summarise } from './summary.ts';

/**
 * Runs the work under V8's profiler, in this process.
 * @returns its result and its profile
 */
export async function profileHere<Result>(
  work: () => Result,
): Promise<{ readonly result: Result; readonly summary: ProfileSummary }> {
  const session = new Session();
  session.connect();
  await session.post('Profiler.enable');
  await session.post('Profiler.start');
  const result = work();
  const { profile } = await session.post('Profiler.stop');
  session.disconnect();
  return { result, summary: summarise([profile as CpuProfile]) };
}
