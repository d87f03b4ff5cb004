/**
 * Adds up the wall time and the processor time (all threads, including garbage collection) of the work that it runs.
 */
export class Stopwatch {
  wallMs = 0;
  cpuMs = 0;

  time<Result>(work: () => Result): Result {
    return this.#measure(work, 1);
  }

  /** Excludes this part of the timed work. */
  pause<Result>(work: () => Result): Result {
    return this.#measure(work, -1);
  }

  #measure<Result>(work: () => Result, sign: 1 | -1): Result {
    const [began, cpu] = [performance.now(), process.cpuUsage()];
    const result = work();
    const used = process.cpuUsage(cpu);
    this.wallMs += sign * (performance.now() - began);
    this.cpuMs += (sign * (used.user + used.system)) / 1_000;
    return result;
  }
}
