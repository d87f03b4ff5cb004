import { type ReactElement, useSyncExternalStore } from 'react';
import { hearTicks } from './ticker.ts';

interface CountdownProps {
  readonly to: string;
}

/** The time left until an instant, updated every second: `29:41`, `2:05 h`, `12 d`. */
export function Countdown({ to }: CountdownProps): ReactElement {
  const text = useSyncExternalStore(hearTicks, () => timeLeft(Date.parse(to) - Date.now()));
  return (
    <time dateTime={to} title={to} className="font-mono tabular-nums">
      {text}
    </time>
  );
}

/** Whether an instant has passed. */
export function useIsOver(at: string | undefined): boolean {
  return useSyncExternalStore(hearTicks, () => at !== undefined && Date.parse(at) <= Date.now());
}

const [secondMs, minuteS, hourS, dayS] = [1_000, 60, 3_600, 86_400];
/** Beyond two days hours do not matter. */
const daysFrom = 2 * dayS;

export function timeLeft(ms: number): string {
  const seconds = Math.max(0, Math.ceil(ms / secondMs));
  if (seconds >= daysFrom) return `${Math.floor(seconds / dayS)} d`;
  if (seconds >= hourS) return `${Math.floor(seconds / hourS)}:${twoDigits(Math.floor((seconds % hourS) / minuteS))} h`;
  return `${Math.floor(seconds / minuteS)}:${twoDigits(seconds % minuteS)}`;
}

function twoDigits(value: number): string {
  return String(value).padStart(2, '0');
}
