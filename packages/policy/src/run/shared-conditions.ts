import type { Compiled, KeptValue } from '../compile/compiled.ts';
import { and, not, or, predicate } from '../compile/logic.ts';
import type { Facts, Predicate } from '../facts/fact-value.ts';
import type { Rule } from '../policy.ts';

/** A part that costs no more than this is cheaper to compute again than to look up. */
const cheap = 4;
/** The number of an event has 31 bits; when it overflows, the whole cache is cleared. */
const eventsMax = 2 ** 31 - 1;

/**
 * The conditions of many rules over the same facts. A part that occurs in several of them, with the same canonical
 * text, is computed once per event, when it is first needed. The results are the same as without sharing.
 */
export class SharedConditions {
  /** How many conditions and parts contain each part. */
  readonly #uses = new Map<Compiled, number>();
  readonly #made = new Map<Compiled, Predicate>();
  readonly #volatile: (part: Pick<Compiled, 'reads'>) => boolean;
  /** Per shared part: the last event for which it was computed, and the result. */
  #events = new Int32Array(0);
  readonly #outcomes: (boolean | undefined)[] = [];
  #event = 1;

  /** @param isVolatile whether a fact can change between two rules of one event */
  constructor(rules: readonly Pick<Rule, 'condition'>[], isVolatile: (path: string) => boolean) {
    this.#volatile = ({ reads }) => reads.some(isVolatile);
    for (const { condition } of rules) this.#count(condition);
    this.#events = new Int32Array(this.#uses.size);
  }

  /** Starts another event; must be called when facts have changed. */
  begin(): void {
    if (this.#event === eventsMax) {
      this.#events.fill(0);
      this.#event = 0;
    }
    this.#event++;
  }

  /** A rule's condition, composed of shared parts. */
  of(condition: Compiled): Predicate {
    const known = this.#made.get(condition);
    if (known !== undefined) return known;
    const own = this.#connected(condition);
    const made = this.#isShared(condition) ? this.#remembered(own) : own;
    this.#made.set(condition, made);
    return made;
  }

  /**
   * The most steps that evaluating each of the conditions adds to those before it, in order. A shared or cached part is
   * counted only for the first condition that needs it.
   */
  costs(conditions: readonly Compiled[]): readonly number[] {
    const asked = new Set<Compiled | KeptValue>();
    const isKnown = (part: Compiled | KeptValue): boolean => asked.size === asked.add(part).size;
    const savedBy = (kept: readonly KeptValue[] = []): number =>
      kept.reduce((sum, value) => {
        if (this.#volatile(value)) return sum;
        return sum + (isKnown(value) ? value.cost - value.costAgain : savedBy(value.inner));
      }, 0);
    const costOf = (part: Compiled): number => {
      if (isKnown(part) && this.#isShared(part)) return 1;
      if (part.logic === undefined) return part.cost - savedBy(part.kept);
      return part.logic.parts.reduce((sum, inner) => sum + costOf(inner), 1);
    };
    return conditions.map(costOf);
  }

  #isShared(condition: Compiled): boolean {
    return this.#uses.get(condition)! > 1 && condition.cost > cheap && !this.#volatile(condition);
  }

  #count(part: Compiled): void {
    const uses = this.#uses.get(part) ?? 0;
    this.#uses.set(part, uses + 1);
    // A part that is computed again for each rule needs its own parts each time.
    if (uses === 0 || this.#volatile(part)) for (const inner of part.logic?.parts ?? []) this.#count(inner);
  }

  #connected(condition: Compiled): Predicate {
    const [left, right] = condition.logic?.parts ?? [];
    if (left === undefined) return predicate(condition);
    if (right === undefined) return not(this.of(left));
    return condition.logic!.operator === '&&' ? and(this.of(left), this.of(right)) : or(this.of(left), this.of(right));
  }

  #remembered(holds: Predicate): Predicate {
    const outcomes = this.#outcomes;
    const place = outcomes.push(undefined) - 1;
    return (facts: Facts) => {
      if (this.#events[place] !== this.#event) {
        outcomes[place] = holds(facts);
        this.#events[place] = this.#event;
      }
      return outcomes[place];
    };
  }
}
