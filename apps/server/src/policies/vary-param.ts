import { Problem } from '@ringfence/contract';
import { loadPolicy, type Policy, type PolicyFile, type PolicyParam, writeParam } from '@ringfence/policy';

/** The values of a parameter that are compared: listed, or evenly spaced from one to another. */
export type VaryRequest =
  | { readonly param: string; readonly values: readonly number[] }
  | { readonly param: string; readonly from: number; readonly to: number; readonly steps: number };

/** A parameter with the values that are compared, as they are written in a policy: ascending, each once. */
export interface VariedParam {
  readonly param: string;
  readonly values: readonly string[];
}

/** Each is a run of the policy over all records. */
export const variedValues = { min: 2, max: 16 } as const;
/** Decimals of a policy have as many places at most. */
const places = 6;
/** Beyond it, whole numbers are not exact. */
const sizeMax = Number.MAX_SAFE_INTEGER;

/**
 * Checks that the policy can be tried with these values.
 *
 * @throws Problem `request.invalid` for an unknown parameter, one that is no number, and values that it cannot have
 */
export function checkVaried(files: readonly PolicyFile[], policy: Policy, wanted: VaryRequest): VariedParam {
  const param = numberParam(policy, wanted.param);
  const values = [...new Set(numbersOf(param, wanted))].toSorted((a, b) => a - b).map(numberText);
  if (values.length < variedValues.min || values.length > variedValues.max) {
    const expected = `from ${variedValues.min} to ${variedValues.max} different values`;
    throw refused(
      'values' in wanted ? '/vary/values' : '/vary/steps',
      `${param.name}: found ${values.length}`,
      expected,
    );
  }
  // A parameter's bounds are a range, so that the values between the outer two are within it too.
  for (const value of [values[0]!, values.at(-1)!]) checkValue(files, param, value);
  return { param: param.name, values };
}

/** The files with another value of the parameter. @throws Problem `request.invalid` if it can't be set in them */
export function withParam(files: readonly PolicyFile[], name: string, value: string): readonly PolicyFile[] {
  const changed = writeParam(files, name, value);
  if (changed === undefined) {
    throw refused(
      '/vary/param',
      `The parameter ${name} cannot be set in these files.`,
      'a file of your own beside the packs',
    );
  }
  return files.map((file) => (file.path === changed.path ? changed : file));
}

function numberParam({ params }: Policy, name: string): PolicyParam {
  const param = params.find((one) => one.name === name);
  const numbers = params.filter(isNumber).map((one) => one.name);
  const expected = numbers.length === 0 ? 'a parameter of type int or decimal' : `one of ${numbers.join(', ')}`;
  if (param === undefined) throw refused('/vary/param', `There is no parameter ${name} in this policy.`, expected);
  if (isNumber(param)) return param;
  throw refused('/vary/param', `The parameter ${name} has the type ${param.type}, not a number.`, expected);
}

function isNumber({ type }: PolicyParam): boolean {
  return type === 'int' || type === 'decimal';
}

function numbersOf({ name, type }: PolicyParam, wanted: VaryRequest): readonly number[] {
  if ('values' in wanted) {
    const wrong = wanted.values.find((value) => !fits(value, type));
    if (wrong === undefined) return wanted.values;
    const expected = type === 'int' ? 'whole numbers' : `numbers with at most ${places} decimal places`;
    throw refused('/vary/values', `${name}: found ${wrong}`, expected);
  }
  const { from, to, steps } = wanted;
  if (to <= from) throw refused('/vary/to', `${name}: found ${to}`, `a number above ${from}`);
  const round = (value: number): number => (type === 'int' ? Math.round(value) : Number(value.toFixed(places)));
  return Array.from({ length: steps }, (_, at) => round(from + ((to - from) * at) / (steps - 1)));
}

function fits(value: number, type: PolicyParam['type']): boolean {
  if (Math.abs(value) > sizeMax) return false;
  return type === 'int' ? Number.isInteger(value) : Number(value.toFixed(places)) === value;
}

/** In plain digits, without trailing zeros. */
function numberText(value: number): string {
  return Number.isInteger(value) ? String(value) : value.toFixed(places).replace(/0+$/, '');
}

function checkValue(files: readonly PolicyFile[], { name }: PolicyParam, value: string): void {
  const loaded = loadPolicy(withParam(files, name, value), { withTests: false });
  if (loaded.ok) return;
  const [first] = loaded.errors;
  throw refused('/vary', `${name} cannot be ${value}: ${first!.message}`, first!.suggestion ?? 'another value');
}

function refused(pointer: string, detail: string, expected: string): Problem {
  return new Problem('request.invalid', `${detail.replace(/\.$/, '')}: expected ${expected}.`, {
    errors: [{ pointer, detail, expected }],
  });
}
