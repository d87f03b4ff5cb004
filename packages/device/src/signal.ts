/** A value as JSON carries it. */
export type Json = string | number | boolean | null | readonly Json[] | { readonly [name: string]: Json };

/**
 * Why there is no value:
 * - `unsupported`: the browser has no such interface, or has nothing to say through it
 * - `blocked`: the interface is there and refuses: a policy, a setting, the browser's protection against tracking
 * - `timeout`: no answer within the limit
 * - `failed`: the interface threw or gave something that it never gives; a page or a tool may have changed it
 * - `tooLarge`: the value would not fit into the token
 */
export type AbsentReason = 'unsupported' | 'blocked' | 'timeout' | 'failed' | 'tooLarge';

/** What one signal reports. A signal never guesses. */
export type Signal<T> = { readonly value: T } | { readonly absent: AbsentReason };

/** What signals share within one collection. */
export interface SignalContext {
  /** A worker of the bank that runs `@ringfence/device/worker`. */
  readonly worker: Worker | undefined;
  /** One WebGL context for all that ask: to make one costs more than to read it. */
  readonly webgl: () => WebGLRenderingContext | undefined;
}

/** Reads one signal. What it throws becomes `failed` or `blocked`; what it never answers becomes `timeout`. */
export type SignalReader = (context: SignalContext) => Signal<Json> | Promise<Signal<Json>>;

export const unsupported = { absent: 'unsupported' } as const;
export const blocked = { absent: 'blocked' } as const;

interface Types {
  readonly string: string;
  readonly number: number;
  readonly boolean: boolean;
}

/** A member of the browser as a signal: nothing there is `unsupported`, another type than the standard's is `failed`. */
export function ofType<K extends keyof Types>(type: K, member: unknown): Signal<Types[K]> {
  if (member === undefined || member === null) return unsupported;
  // oxlint-disable-next-line valid-typeof -- the type is one of the three names above
  if (typeof member !== type || Number.isNaN(member)) return { absent: 'failed' };
  return { value: member as Types[K] };
}
