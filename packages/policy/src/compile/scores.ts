import { doubleOf } from './numbers.ts';
import { type CallNode, pathText } from '../expression/node.ts';
import { nearest } from '../check/nearest.ts';
import { combine, type Compiled, type Context, type Name } from './compiled.ts';
import type { FormDefinition } from './functions/definition.ts';
import { aType, isNumeric, type Type } from './type.ts';
import type { Value } from './value.ts';
import type { Decimal } from '@ringfence/contract';

/** Forms that read a feature's definition and not only its value. */
export const scores: readonly FormDefinition[] = [
  {
    kind: 'form',
    name: 'zscore',
    group: 'features',
    isMethod: false,
    signature: 'zscore(number, feature): double',
    doc: 'How many standard deviations a number is above the usual value of the profile (negative: below). The deviation counts as at least a hundredth of the average, so that a client who always pays the same amount has a score too. Missing before the profile has seen five events.',
    example: 'zscore(order.amount, clientAmountProfile) > 3.0',
    compile: zscore,
  },
];

function zscore(node: CallNode, context: Context): Compiled | undefined {
  const [given, named] = node.args;
  if (node.receiver !== undefined || node.args.length !== 2 || given === undefined || named === undefined) {
    const message = 'zscore needs a number and the name of a profile';
    context.report({ ...node.nameSpan, message, suggestion: 'zscore(order.amount, clientAmountProfile)' });
    return undefined;
  }
  const value = context.compile(given);
  const name = named.kind === 'path' ? context.vocabulary.find(pathText(named)) : undefined;
  if (name?.deviation === undefined) return refuse(named, name, context);
  if (value === undefined) return undefined;
  if (!isNumeric(value.type)) {
    const { start, end } = given;
    context.report({ start, end, message: `${aType(value.type)} has no z-score`, suggestion: 'a number' });
    return undefined;
  }
  const mean = context.compile(named);
  const deviation = context.vocabulary.find(name.deviation);
  if (mean === undefined || deviation === undefined) return undefined;
  return scored(value, mean, { path: deviation.path, slot: context.vocabulary.slotOf(deviation.path) });
}

function scored(
  value: Compiled,
  mean: Compiled,
  deviation: { readonly path: string; readonly slot: number },
): Compiled {
  const [run, runMean] = [value.run, mean.run];
  const made = combine('double', [value, mean], {
    run: (facts) => {
      const [x, usual, spread] = [run(facts), runMean(facts), facts[deviation.slot]];
      if (x === undefined || usual === undefined || spread === undefined) return undefined;
      return (numberOf(value.type, x) - (usual as number)) / (spread as number);
    },
    cost: 10,
  });
  return { ...made, reads: [...made.reads, deviation.path], needs: [...made.needs, deviation.path] };
}

function numberOf(type: Type, value: Value): number {
  return type === 'decimal' ? doubleOf(value as Decimal) : Number(value);
}

function refuse(named: CallNode['args'][number], name: Name | undefined, context: Context): undefined {
  const path = named.kind === 'path' ? pathText(named) : undefined;
  if (path !== undefined && context.vocabulary.broken(path)) return undefined;
  const profiles = [...context.vocabulary.paths()].filter(
    (known) => context.vocabulary.find(known)?.deviation !== undefined,
  );
  const message =
    name === undefined || path === undefined
      ? `there is no profile ${path ?? 'of that name'}`
      : `${path} is not a profile: zscore needs a feature of that kind`;
  const suggestion =
    nearest(path ?? '', profiles) ??
    profiles[0] ??
    'a feature such as { profile: order.amount, by: client.id, halfLife: 30d }';
  context.report({ start: named.start, end: named.end, message, suggestion });
  return undefined;
}
