/** Resolves like `awaited`, or rejects with the reason of the abort if that comes first. */
export async function untilAborted<T>(awaited: Promise<T>, signal: AbortSignal): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  const aborted = (): void => reject(signal.reason);
  if (signal.aborted) aborted();
  signal.addEventListener('abort', aborted, { once: true });
  try {
    return await Promise.race([awaited, promise]);
  } finally {
    signal.removeEventListener('abort', aborted);
  }
}
