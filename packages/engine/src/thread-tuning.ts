/** Settings of the thread that runs the engine. The service and the bench use the same values. */

/**
 * MB of V8's young generation: with the default of 16, objects that live as long as a batch are copied again and again.
 * Used on demand.
 */
export const youngGenerationMb = 96;

/** Flags of V8. They apply to all threads of the process. */
export const v8Flags: readonly string[] = [
  // How far the heap may grow beyond its live objects before it is collected. V8 would let it grow to four times that,
  // but most live data is in the arena and the heap is small, so more growth gains no speed.
  '--heap-growing-percent=50',
  // Allocates every object in the young generation. With pretenuring, V8 would allocate objects that survive for a while
  // in the old generation, and keep alive what they refer to: a finished batch would stay until an old-generation
  // collection.
  '--no-allocation-site-pretenuring',
];

/** Decisions encoded and hashed together: this many are still in the processor's cache, more are not. */
export const chainedTogether = 64;
