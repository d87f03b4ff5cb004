import { limits } from './limits.ts';
import { nextTask } from './next-task.ts';
import { plainCopy } from './plain-copy.ts';
import type { AbsentReason, Json, Signal, SignalContext, SignalReader } from './signal.ts';

/** Every requested signal is in one of the two, by its name. */
export interface Readings {
  readonly signals: Record<string, Json>;
  readonly absent: Record<string, AbsentReason>;
}

/** The signals to read, and their deadline. */
export interface ReadingPlan {
  readonly readers: readonly (readonly [name: string, read: SignalReader])[];
  readonly context: SignalContext;
  /** Resolves at the deadline, when missing signals are omitted. */
  readonly deadline: Promise<void>;
}

/**
 * Starts the signals in order, in slices between which the browser can paint, and waits for those that answer later.
 * Never rejects.
 */
export async function readSignals({ readers, context, deadline }: ReadingPlan): Promise<Readings> {
  const readings: Readings = { signals: {}, absent: {} };
  let isLate = false;
  const late = deadline.then((): Signal<Json> => {
    isLate = true;
    return { absent: 'timeout' };
  });
  const settle = async (name: string, read: SignalReader): Promise<void> => {
    const signal = isLate ? late : attempt(read, context);
    const result = await Promise.race([signal, late]);
    if ('value' in result) readings.signals[name] = result.value;
    else readings.absent[name] = result.absent;
  };
  const pending: Promise<void>[] = [];
  let sliceStartedMs = performance.now();
  for (const [name, read] of readers) {
    pending.push(settle(name, read));
    if (performance.now() - sliceStartedMs > limits.sliceMs) {
      await nextTask();
      sliceStartedMs = performance.now();
    }
  }
  await Promise.all(pending);
  return readings;
}

async function attempt(read: SignalReader, context: SignalContext): Promise<Signal<Json>> {
  try {
    const signal = await read(context);
    return 'value' in signal ? { value: plainCopy(signal.value) } : signal;
  } catch (error) {
    return { absent: isRefusal(error) ? 'blocked' : 'failed' };
  }
}

/** The errors by which browsers deny access: by policy, by setting, or without asking the person. */
function isRefusal(error: unknown): boolean {
  return error instanceof DOMException && (error.name === 'SecurityError' || error.name === 'NotAllowedError');
}
