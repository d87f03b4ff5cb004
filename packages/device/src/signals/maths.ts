import type { About } from '../reference/about.ts';
import type { Signal } from '../signal.ts';

export const about: About = {
  what: 'Results of functions whose last digits ECMAScript leaves to the engine, in a fixed order.',
  purpose: 'Distinguishes the mathematics libraries of engines and systems independently of the user agent.',
  stability: 'browser',
  schema: { type: 'array', items: { type: 'number' }, maxItems: 12 },
  source: 'https://tc39.es/ecma262/#sec-function-properties-of-the-math-object',
};

/** Arguments at which the libraries of the engines are known to round differently: large, or near a turning point. */
export function maths(): Signal<readonly number[]> {
  const { sin, cos, tan, sinh, tanh, asinh, atanh, cbrt, exp, expm1, log1p, pow } = Math;
  return {
    value: [
      sin(2 ** 71 + 7),
      cos(1e9 + 0.123),
      tan(-1.5707963),
      sinh(2.718),
      tanh(0.31),
      asinh(1e-3),
      atanh(0.77),
      cbrt(101),
      exp(33.3),
      expm1(0.7),
      log1p(-0.49),
      pow(1.000_000_1, 1e7),
    ],
  };
}
