import { Counter, type Registry } from '@prometheus-io/client';

interface CounterDefinition {
  readonly name: string;
  readonly help: string;
  readonly labels: readonly string[];
}

/**
 * A counter with labels that costs one lookup in a map. Prometheus' own counter sorts and joins its labels on every
 * call, which adds a microsecond to every request.
 */
export class LabelledCounts {
  readonly #counts = new Map<string, number>();

  constructor(definition: CounterDefinition, registry: Registry) {
    const { name, help, labels } = definition;
    const counter: Counter<string> = new Counter<string>({
      name,
      help,
      labelNames: labels,
      registers: [registry],
      collect: () => {
        counter.reset();
        for (const [key, count] of this.#counts) {
          const values = key.split('\0');
          counter.inc(Object.fromEntries(labels.map((label, i) => [label, values[i]!])), count);
        }
      },
    });
  }

  /** Adds one. The values are in the order of the label names. */
  count(...values: readonly string[]): void {
    const key = values.join('\0');
    this.#counts.set(key, (this.#counts.get(key) ?? 0) + 1);
  }
}
