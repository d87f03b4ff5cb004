import { secondMs } from '@ringfence/contract';

/** Prometheus gives up a scrape after 10 s, and all other metrics would be lost with it. */
const awayMs = 3 * secondMs;

/** What a source answers; `undefined` if it fails, or is silent for 3 s. */
export async function orAway<Answer>(asked: Promise<Answer>): Promise<Answer | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const silent = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), awayMs);
  });
  try {
    return await Promise.race([asked.catch(() => undefined), silent]);
  } finally {
    clearTimeout(timer);
  }
}
