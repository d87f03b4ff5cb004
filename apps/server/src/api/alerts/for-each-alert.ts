import { Problem } from '@ringfence/contract';

/** As many as may hold the locks of alerts that are being decided. */
const together = 4;

interface Refused {
  readonly alert: string;
  readonly code: string;
  readonly detail: string;
}

/** Changes several alerts, each on its own: a refused one does not stop the others. */
export async function forEachAlert<Changed>(
  ids: readonly string[],
  change: (id: string) => Promise<Changed>,
): Promise<{ readonly changed: readonly Changed[]; readonly refused: readonly Refused[] }> {
  const changed: Changed[] = [];
  const refused: Refused[] = [];
  const waiting = [...new Set(ids)];
  const work = async (): Promise<void> => {
    for (let alert = waiting.shift(); alert !== undefined; alert = waiting.shift()) {
      try {
        changed.push(await change(alert));
      } catch (error) {
        if (!(error instanceof Problem)) {
          waiting.length = 0;
          throw error;
        }
        refused.push({ alert, code: error.code, detail: error.message });
      }
    }
  };
  // After a failure, nothing goes on once it is answered.
  const ends = await Promise.allSettled(Array.from({ length: together }, work));
  for (const end of ends) if (end.status === 'rejected') throw end.reason;
  return { changed, refused };
}
