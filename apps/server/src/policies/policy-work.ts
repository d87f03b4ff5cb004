/**
 * What compiles the files of a policy that a person sent: seconds for the largest ones. The answers are plain values, so
 * that a thread can work them out (`PolicyWorkers`); commands do it in their own.
 */
import { hash } from 'node:crypto';
import { errorsMax, Problem, unreachable } from '@ringfence/contract';
import {
  controlsOf,
  developmentCostMax,
  diffPolicies,
  loadPolicy,
  type ModelControl,
  type Policy,
  policyCostMax,
  type PolicyChange,
  type PolicyError,
  type PolicyFile,
  withPacks,
} from '@ringfence/policy';
import type { Environment } from '../tenancy/workspaces/workspace.ts';
import { type PolicyModel, policyModels } from './policy-models.ts';
import { packNames, packText } from './policy-packs.ts';
import { type TestedPolicy, testPolicy } from './test-policy.ts';
import { checkVaried, type VariedParam, type VaryRequest } from './vary-param.ts';

/** A policy without mistakes. */
export interface CheckedPolicy {
  /** With the packs that they use. */
  readonly files: readonly PolicyFile[];
  /** SHA-256 of the policy's canonical text: policies with equal digests decide equally. */
  readonly digest: Uint8Array;
  /** Of its features: only those without an equal in the version before are backfilled. */
  readonly fingerprints: readonly string[];
  readonly controls: readonly ModelControl[];
  readonly warnings: readonly PolicyError[];
}

/** Stored files as this release sees them. */
export type StoredFiles =
  | { readonly ok: true; readonly policy: Pick<CheckedPolicy, 'fingerprints' | 'controls'> }
  | { readonly ok: false; readonly errors: readonly PolicyError[] };

interface TaskResults {
  readonly check: CheckedPolicy;
  readonly diff: readonly PolicyChange[];
  readonly test: TestedPolicy;
  readonly stored: StoredFiles;
  readonly vary: VariedParam;
  readonly models: readonly PolicyModel[];
}

export type PolicyTask =
  | {
      readonly kind: 'check';
      readonly files: readonly PolicyFile[];
      /** Of the workspace that shall decide by it; absent: of none. */
      readonly environment?: Environment | undefined;
    }
  | { readonly kind: 'test' | 'stored' | 'models'; readonly files: readonly PolicyFile[] }
  | { readonly kind: 'diff'; readonly before: readonly PolicyFile[]; readonly after: readonly PolicyFile[] }
  | { readonly kind: 'vary'; readonly files: readonly PolicyFile[]; readonly wanted: VaryRequest };

export type ResultOf<Task extends PolicyTask> = TaskResults[Task['kind']];

/** Where a task is done. @throws Problem `policy.invalid` */
export type PolicyWork = <Task extends PolicyTask>(task: Task) => Promise<ResultOf<Task>>;

/** In this thread, which does nothing else meanwhile. */
export const workHere: PolicyWork = async (task) => doTask(task);

/** @throws Problem `policy.invalid` with its mistakes */
export function doTask<Task extends PolicyTask>(task: Task): ResultOf<Task> {
  return resultOf(task) as ResultOf<Task>;
}

function resultOf(task: PolicyTask): TaskResults[PolicyTask['kind']] {
  switch (task.kind) {
    case 'check': {
      const { files, policy, warnings } = checkPolicy(task.files, task.environment);
      const digest = hash('sha256', policy.canonical, 'buffer');
      return { files, digest, ...comparedOf(policy), warnings };
    }
    case 'diff':
      return [...diffPolicies(checkPolicy(task.before).policy, checkPolicy(task.after).policy)];
    case 'test':
      return testPolicy(checkPolicy(task.files).policy);
    case 'stored': {
      const loaded = loadPolicy(task.files, { withTests: false });
      return loaded.ok ? { ok: true, policy: comparedOf(loaded.policy) } : loaded;
    }
    case 'models': {
      const loaded = loadPolicy(task.files, { withTests: false });
      return loaded.ok ? policyModels(loaded.policy, task.files) : [];
    }
    case 'vary': {
      const { files, policy } = checkPolicy(task.files);
      return checkVaried(files, policy, task.wanted);
    }
    default:
      return unreachable(task);
  }
}

/** What of a version is compared with the one after it. */
function comparedOf(policy: Policy): Pick<CheckedPolicy, 'fingerprints' | 'controls'> {
  return { fingerprints: policy.features.map(({ fingerprint }) => fingerprint), controls: controlsOf(policy) };
}

/** The compiled policy, and its files with the packs that they use. @throws Problem `policy.invalid` with its mistakes */
function checkPolicy(
  given: readonly PolicyFile[],
  environment?: Environment,
): {
  readonly files: readonly PolicyFile[];
  readonly policy: Policy;
  readonly warnings: readonly PolicyError[];
} {
  const files = withPacks(given, packText);
  const result = loadPolicy(files, { packNames: packNames(), costMax: costMaxIn(environment) });
  if (result.ok) return { files, policy: result.policy, warnings: result.warnings };
  const told = toldOf(result.errors);
  throw new Problem('policy.invalid', told.map(policyErrorLine).join('\n'), {
    errors: told.map((error) => ({
      pointer: `/files/${String(files.findIndex(({ path }) => path === error.file))}`,
      detail: policyErrorLine(error),
      expected: error.suggestion ?? '',
    })),
  });
}

/** Stored versions are not held to it: one that was admitted once goes on. */
function costMaxIn(environment: Environment | undefined): number {
  return environment === 'development' ? developmentCostMax : policyCostMax;
}

/** Warnings beside the errors only as long as all of them can be told. */
function toldOf(found: readonly PolicyError[]): readonly PolicyError[] {
  return found.length <= errorsMax ? found : found.filter(({ severity }) => severity === 'error');
}

/** `rules.yaml:12:7: message (suggestion)`: a form that editors and terminals turn into a link. */
export function policyErrorLine(error: PolicyError): string {
  const hint = error.suggestion === undefined ? '' : ` (${error.suggestion})`;
  return `${error.file}:${error.line}:${error.column}: ${error.message}${hint}`;
}
