import { unreachable } from '@ringfence/contract';
import type { Expression } from '../expression/node.ts';
import { printExpression } from '../expression/print.ts';
import type { Report } from '../mistake.ts';
import { compileArithmetic, compileNegation } from './arithmetic.ts';
import { compileCall } from './calls.ts';
import { compileComparison } from './comparison.ts';
import { type Compiled, constant, type Context, type Vocabulary } from './compiled.ts';
import { costMax } from './forms.ts';
import { compileChoice, compileCondition, compileLogic, compileNot } from './logic.ts';
import { compileMembership } from './membership.ts';
import { compileIndex, compilePath } from './paths.ts';

/**
 * Checks conditions and turns them into closures over the facts of one event.
 *
 * A part that was met before, in this or another condition, is the same closure again: parts are known by their
 * canonical text.
 */
export class Compiler {
  readonly #vocabulary: Vocabulary;
  readonly #known = new Map<string, Compiled>();

  constructor(vocabulary: Vocabulary) {
    this.#vocabulary = vocabulary;
  }

  /** A whole condition. `undefined` when it doesn't check; every mistake in it was reported. */
  condition(node: Expression, report: Report): Compiled | undefined {
    const condition = compileCondition(node, this.#context(report, new Map()));
    if (condition === undefined || condition.cost <= costMax) return condition;
    report({
      start: node.start,
      end: node.end,
      message: 'the condition takes too long to run',
      suggestion: 'fewer patterns and shorter lists',
    });
    return undefined;
  }

  #context(report: Report, locals: ReadonlyMap<string, Compiled>): Context {
    const context: Context = {
      vocabulary: this.#vocabulary,
      report,
      locals,
      compile: (node) => this.#compile(node, context),
      bind: (name, value) => this.#context(report, new Map([...locals, [name, value]])),
    };
    return context;
  }

  #compile(node: Expression, context: Context): Compiled | undefined {
    // What a bound name means depends on where it stands, so parts inside a quantifier are not shared.
    if (context.locals.size > 0) return compileNode(node, context);
    const text = printExpression(node);
    const known = this.#known.get(text);
    if (known !== undefined) return known;
    const compiled = compileNode(node, context);
    if (compiled !== undefined) this.#known.set(text, compiled);
    return compiled;
  }
}

function compileNode(node: Expression, context: Context): Compiled | undefined {
  switch (node.kind) {
    case 'number':
      return constant(node.type, node.value, node.text);
    case 'string':
      return constant('string', node.value);
    case 'bool':
      return constant('bool', node.value);
    case 'duration':
      return constant('duration', node.ms);
    case 'null':
      context.report({
        start: node.start,
        end: node.end,
        message: 'nothing is null in a policy: what is absent is missing',
        suggestion: 'has(x) or x.orValue(y)',
      });
      return undefined;
    case 'path':
      return compilePath(node, context);
    case 'index':
      return compileIndex(node, context);
    case 'list':
      context.report({
        start: node.start,
        end: node.end,
        message: 'a list stands right of "in" or before .exists, .all and .exists_one',
        suggestion: 'x in ["a", "b"]',
      });
      return undefined;
    case 'call':
      return compileCall(node, context);
    case 'compare':
      return compileComparison(node, context);
    case 'arithmetic':
      return compileArithmetic(node, context);
    case 'logic':
      return compileLogic(node, context);
    case 'in':
      return compileMembership(node, context);
    case 'not':
      return compileNot(node, context);
    case 'negate':
      return compileNegation(node, context);
    case 'choice':
      return compileChoice(node, context);
    default:
      return unreachable(node);
  }
}
