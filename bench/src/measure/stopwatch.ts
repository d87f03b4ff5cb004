/** Adds up the wall time and the processor time (all threads, the collector's too) of the work that is given to it. */
export class Stopwatch {
  wallMs = 0;
  cpuMs = 0;

  time<Result>(work: () => Result): Result {
    const [began, cpu] = [performance.now(), process.cpuUsage()];
    const result = work();
    const used = process.cpuUsage(cpu);
    this.wallMs += performance.now() - began;
    this.cpuMs += (used.user + used.system) / 1_000;
    return result;
  }
}
