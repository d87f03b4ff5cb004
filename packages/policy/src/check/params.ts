import { type Expression, type PathNode, pathText, replacePaths, type Span } from '../expression/node.ts';
import type { Report } from './mistake.ts';
import { nearest } from './nearest.ts';

/** The value of a parameter: a literal of conditions. */
export type ParamValue = ParamLiteral extends infer Each ? (Each extends Span ? Omit<Each, keyof Span> : never) : never;
type ParamLiteral = Extract<Expression, { kind: 'number' | 'string' | 'bool' | 'duration' }>;

/** The values of `params.name`. They replace the names before anything is checked, so they cost nothing at run time. */
export class Params {
  readonly #values = new Map<string, ParamValue>();
  readonly #broken = new Set<string>();
  readonly #used = new Set<string>();

  set(name: string, value: ParamValue): void {
    this.#values.set(name, value);
  }

  /** Declared with a mistake, which was reported at the declaration. */
  setBroken(name: string): void {
    this.#broken.add(name);
  }

  isUsed(name: string): boolean {
    return this.#used.has(name);
  }

  /** The expression with parameters replaced by their values. */
  fill(node: Expression, report: Report): Expression {
    return replacePaths(node, (path) => this.#valueOf(path, report));
  }

  /**
   * The span of a parameter by its name, where a field accepts a duration. `undefined` if it has none, `broken` if its
   * declaration was reported.
   */
  duration(name: string): number | 'broken' | undefined {
    this.#used.add(name);
    if (this.#broken.has(name)) return 'broken';
    const value = this.#values.get(name);
    return value?.kind === 'duration' ? value.ms : undefined;
  }

  names(): Iterable<string> {
    return this.#values.keys();
  }

  has(name: string): boolean {
    return this.#values.has(name);
  }

  #valueOf(path: PathNode, report: Report): Expression | undefined {
    const [first, second, ...others] = path.parts;
    if (first?.name !== 'params') return undefined;
    const { start, end } = path;
    const value = second === undefined || others.length > 0 ? undefined : this.#values.get(second.name);
    if (value !== undefined && second !== undefined) {
      this.#used.add(second.name);
      return { ...value, start, end };
    }
    if (!this.#broken.has(second?.name ?? '')) {
      const meant = nearest(second?.name ?? '', this.#values.keys());
      const suggestion = meant === undefined ? 'one that is declared under params:' : `params.${meant}`;
      report({ start, end, message: `there is no parameter ${pathText(path)}`, suggestion });
    }
    // An expression that checks wherever a parameter's value would: the mistake was already reported.
    return undefined;
  }
}
