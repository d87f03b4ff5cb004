import { availableParallelism, cpus, totalmem } from 'node:os';

/** Describes the machine of a figure in one line. */
export function machine(): string {
  const model = cpus()[0]?.model ?? 'unknown processor';
  const memory = Math.round(totalmem() / 2 ** 30);
  return `${availableParallelism()} cores of ${model}, ${memory} GiB, Node ${process.versions.node}, ${process.platform}`;
}
