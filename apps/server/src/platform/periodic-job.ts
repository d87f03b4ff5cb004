interface Rhythm {
  /** From the end of one run to the beginning of the next. */
  readonly everyMs: number;
  /** The first run begins at once, and not after `everyMs`. */
  readonly isAtOnce?: boolean;
}

/**
 * Runs a job again and again, one run at a time.
 *
 * @param job handles its errors: what it throws ends the process
 * @returns what stops it: resolves when the present run has ended
 */
export function startPeriodicJob(job: () => Promise<void>, { everyMs, isAtOnce = false }: Rhythm): () => Promise<void> {
  let isStopped = false;
  let timer: NodeJS.Timeout | undefined;
  let running = Promise.resolve();
  const wait = (): void => {
    timer = setTimeout(begin, everyMs);
  };
  const begin = (): void => {
    running = job().then(() => {
      if (!isStopped) wait();
    });
  };
  if (isAtOnce) begin();
  else wait();
  return async () => {
    isStopped = true;
    clearTimeout(timer);
    await running;
  };
}
