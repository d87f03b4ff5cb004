import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { evaluate, type Labels, parseQuery, type Query, type Series } from '../../tools/testing/promql.ts';

/**
 * How long a minute of the rules takes here: one scrape. So rules that wait five minutes fire within one, and faults need
 * not last as long as in production.
 */
export const minuteMs = 10_000;
/** Longer than an answer of a healthy service takes; shorter than a minute. */
const scrapeMsMax = 5_000;
/** What Prometheus adds to every series that it scrapes. */
const target = { job: 'ringfence', instance: 'one:8081' };

interface Rule {
  readonly alert: string;
  readonly query: Query;
  /** Minutes for which it must hold before it fires. */
  readonly waits: number;
}

export interface Fired {
  readonly alert: string;
  /** `performance.now()` of the scrape. */
  readonly atMs: number;
}

const rulesFile = new URL('../../deploy/prometheus/rules.yaml', import.meta.url);

/** Scrapes a service and evaluates the shipped alert rules, as Prometheus would. */
export class AlertWatch {
  readonly fired: Fired[] = [];
  readonly #url: string;
  readonly #rules = readRules();
  readonly #samples = new Map<string, { readonly name: string; readonly labels: Labels; readonly values: number[] }>();
  /** Since which minute the condition of each rule holds, by the labels of what it holds for. */
  readonly #since = new Map<Rule, Map<string, number>>();
  readonly #timer: NodeJS.Timeout;
  #minute = 0;

  constructor(managementUrl: string) {
    this.#url = `${managementUrl}/metrics`;
    this.#timer = setInterval(() => void this.#scrape(), minuteMs);
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  /** The alerts that fire now. */
  get firing(): readonly string[] {
    return this.#rules.filter((rule) => this.#firingOf(rule, this.#minute - 1).size > 0).map(({ alert }) => alert);
  }

  async #scrape(): Promise<void> {
    const minute = this.#minute++;
    const text = await fetch(this.#url, { signal: AbortSignal.timeout(scrapeMsMax) })
      .then((answer) => answer.text())
      .catch(() => '');
    for (const line of text.split('\n')) this.#keep(line, minute);
    const series = [...this.#samples.values()].map(({ name, labels, values }): Series => ({
      name,
      labels,
      at: (at) => values[at],
    }));
    for (const rule of this.#rules) this.#judge(rule, series, minute);
  }

  #keep(line: string, minute: number): void {
    const found = /^(?<key>(?<name>\w+)(?:\{(?<labels>.*)\})?) (?<value>\S+)$/.exec(line)?.groups;
    if (found === undefined) return;
    const key = found['key']!;
    let kept = this.#samples.get(key);
    if (kept === undefined) {
      const labels = [...(found['labels'] ?? '').matchAll(/(\w+)="([^"]*)"/g)].map(([, name, value]) => [
        name!,
        value!,
      ]);
      kept = { name: found['name']!, labels: { ...(Object.fromEntries(labels) as Labels), ...target }, values: [] };
      this.#samples.set(key, kept);
    }
    kept.values[minute] = Number(found['value']);
  }

  #judge(rule: Rule, series: readonly Series[], minute: number): void {
    const fired = this.#firingOf(rule, minute - 1);
    const before = this.#since.get(rule);
    const holds = evaluate(rule.query, series, minute).map(({ labels }) => JSON.stringify(labels));
    this.#since.set(rule, new Map(holds.map((labels) => [labels, before?.get(labels) ?? minute])));
    for (const labels of this.#firingOf(rule, minute))
      if (!fired.has(labels)) this.fired.push({ alert: rule.alert, atMs: performance.now() });
  }

  #firingOf(rule: Rule, minute: number): ReadonlySet<string> {
    const since = [...(this.#since.get(rule) ?? [])];
    return new Set(since.filter(([, from]) => minute - from >= rule.waits).map(([labels]) => labels));
  }
}

function readRules(): readonly Rule[] {
  const { groups } = parse(readFileSync(rulesFile, 'utf8')) as {
    readonly groups: readonly {
      readonly rules: readonly { readonly alert: string; readonly expr: string; readonly for?: string }[];
    }[];
  };
  return groups.flatMap(({ rules }) =>
    rules.map(({ alert, expr, for: waits = '0m' }) => ({ alert, query: parseQuery(expr), waits: minutesOf(waits) })),
  );
}

function minutesOf(text: string): number {
  return Number.parseInt(text, 10) * (text.endsWith('h') ? 60 : 1);
}
