import { loadPolicy } from '../check/load-policy.ts';
import type { Policy, PolicyError, PolicyFile, Rule } from '../policy.ts';
import { ruleBounds } from '../sections/read-rules.ts';

/** Facts by which the results are grouped, whether the condition reads them or not. */
export const searchFacts = ['ip.country', 'device.id', 'payee.id'] as const;

/** A policy with one more rule, in shadow, which fires where the search condition is true. */
export interface SearchPolicy {
  readonly files: readonly PolicyFile[];
  readonly policy: Policy;
  readonly rule: Rule;
}

export type SearchPolicyResult =
  | { readonly ok: true; readonly search: SearchPolicy }
  /** Mistakes in the condition, at positions of its own text; or in the policy's files, at positions of theirs. */
  | { readonly ok: false; readonly wrong: 'condition' | 'policy'; readonly errors: readonly PolicyError[] };

/** The indentation of a condition below `when:`. */
const indent = 6;

/**
 * Adds a condition as a shadow rule after all rules of a policy: it is checked by the same compiler, can read the
 * policy's features, lists and score, and changes no decision.
 *
 * @param files files of a policy that checks
 */
export function searchPolicy(files: readonly PolicyFile[], condition: string): SearchPolicyResult {
  const path = freeName(
    'search',
    files.map((file) => file.path.replace(/\.yaml$/, '')),
  );
  const reason = freeReason(files);
  const head = headOf(path, reason);
  const text = `${head}${condition
    .trim()
    .split('\n')
    .map((line) => `${' '.repeat(indent)}${line}\n`)
    .join('')}`;
  const file = { path: `${path}.yaml`, text };
  const all = [...files, file];
  const loaded = loadPolicy(all);
  if (loaded.ok) {
    const rule = loaded.policy.rules.find((one) => one.reason === reason)!;
    return { ok: true, search: { files: all, policy: loaded.policy, rule } };
  }
  const errors = loaded.errors.filter(({ severity }) => severity === 'error');
  const own = errors.filter((error) => error.file === file.path).map((error) => inCondition(error, head));
  return own.length > 0 ? { ok: false, wrong: 'condition', errors: own } : { ok: false, wrong: 'policy', errors };
}

function inCondition(error: PolicyError, head: string): PolicyError {
  const headLines = head.split('\n').length - 1;
  return { ...error, line: Math.max(1, error.line - headLines), column: Math.max(1, error.column - indent) };
}

function headOf(name: string, reason: number): string {
  const shown = searchFacts.map((path) => `{{${path}}}`).join(' ');
  return `groups: { ${name}: { priority: 1000 } }
rules:
  - reason: ${reason}
    name: ${name}
    on: [login, logout, operation]
    mode: shadow
    group: ${name}
    then: { action: 3, message: "${shown}" }
    when: >-
`;
}

function freeName(wanted: string, taken: readonly string[]): string {
  const names = new Set(taken);
  let name = wanted;
  for (let count = 2; names.has(name); count++) name = `${wanted}${count}`;
  return name;
}

/** The largest number that no rule uses. The text is searched for it, so that the policy is compiled only once. */
function freeReason(files: readonly PolicyFile[]): number {
  let reason = ruleBounds.reasonMax;
  while (files.some(({ text }) => text.includes(String(reason)))) reason -= 1;
  return reason;
}
