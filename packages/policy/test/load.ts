import { loadPolicy } from '../src/check/load-policy.ts';
import type { Facts, FactValue } from '../src/facts/fact-value.ts';
import type { Policy } from '../src/policy.ts';

/** A policy of one file. */
export function load(text: string): ReturnType<typeof loadPolicy> {
  return loadPolicy([{ path: 'policy.yaml', text }]);
}

/** A policy that checks. */
export function policyOf(text: string): Policy {
  const result = load(text);
  if (!result.ok) throw new Error(mistakesOf(text).join('\n'));
  return result.policy;
}

/** `line:column severity message => suggestion` of every mistake and warning. */
export function mistakesOf(text: string): readonly string[] {
  const result = load(text);
  return (result.ok ? result.warnings : result.errors).map(({ line, column, severity, message, suggestion }) => {
    const sign = severity === 'warning' ? ' warning:' : '';
    return `${line}:${column}${sign} ${message}${suggestion === undefined ? '' : ` => ${suggestion}`}`;
  });
}

/** Facts by path, in the engine's layout. */
export function factsOf(policy: Policy, given: Readonly<Record<string, FactValue>>): Facts {
  const facts: Facts = Array.from({ length: policy.slots.count }, () => undefined);
  for (const [path, value] of Object.entries(given)) {
    const slot = policy.slots.of(path);
    if (slot !== undefined) facts[slot] = value;
  }
  return facts;
}
