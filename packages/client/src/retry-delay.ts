export interface RetryBounds {
  readonly delayMsMin: number;
  readonly delayMsMax: number;
}

/**
 * The wait after failed attempt number `attempt` (1-based): exponential backoff from `delayMsMin` to `delayMsMax`,
 * shortened by up to half, so that processes hit by the same outage do not retry in step.
 *
 * @param jitter in [0, 1)
 */
export function retryDelayMs(bounds: RetryBounds, attempt: number, jitter: number): number {
  const whole = Math.min(bounds.delayMsMax, bounds.delayMsMin * 2 ** (attempt - 1));
  return Math.round(whole * (0.5 + jitter / 2));
}
