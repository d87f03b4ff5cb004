import { assert } from '@ringfence/contract';
import { clientPaths, type Feature, loadPolicy, type Policy, type PolicyFile } from '@ringfence/policy';

/** A feature of something that several clients use, by its slots among the facts of both policies. */
export interface SharedFeature {
  readonly name: string;
  readonly slotOfClients: number;
  readonly slotOfEntities: number;
}

/** One policy as the parts of a workspace in shards decide by it. */
export interface SplitPolicy {
  /** As one engine decides by it. */
  readonly whole: Policy;
  /** Its rules and features that are about the client alone. */
  readonly clientOnly: Policy;
  /** All of its rules, and the features of clients. The slots of shared features are filled from answers. */
  readonly ofClients: Policy;
  /** The shared features, and one rule that reads them all. */
  readonly ofEntities: Policy;
  readonly shared: readonly SharedFeature[];
}

/** Reason of the rule that reads every shared feature. */
const readerReason = 999_999_999;
/** The shared things that the simulation knows: they are named by the operation itself. */
const sharedPath = 'payee.id';

/**
 * Splits a policy by what its features are about: a client (also together with something else), or a payee.
 * @throws InvariantError if the policy does not check, or a feature is about something else
 */
export function splitPolicy(files: readonly PolicyFile[]): SplitPolicy {
  const whole = checked(files);
  const isShared = ({ by }: Feature): boolean => !by.some((path) => clientPaths.has(path));
  const shared = whole.features.filter(isShared);
  assert(
    shared.every(({ by }) => by.length === 1 && by[0] === sharedPath),
    `shared features are about ${sharedPath}`,
  );
  const local = whole.features.filter((feature) => !isShared(feature));
  const names = new Set(shared.flatMap(({ paths }) => paths));
  const isLocal = ({ reads, then }: Policy['rules'][number]): boolean =>
    ![...reads.map(({ path }) => path), ...then.flatMap((action) => action.reads)].some((path) => names.has(path));
  const reading = shared.length === 0 ? whole : checked([...files, readerOf(shared)]);
  const slotOf = ({ name }: Feature): number => reading.features.find((feature) => feature.name === name)!.slot;
  return {
    whole,
    clientOnly: { ...whole, features: local, rules: whole.rules.filter(isLocal) },
    ofClients: { ...whole, features: local },
    ofEntities: {
      ...reading,
      features: reading.features.filter(isShared),
      rules: reading.rules.filter(({ reason }) => reason === readerReason),
    },
    shared: shared.map((feature) => ({
      name: feature.name,
      slotOfClients: feature.slot,
      slotOfEntities: slotOf(feature),
    })),
  };
}

function checked(files: readonly PolicyFile[]): Policy {
  const loaded = loadPolicy(files);
  assert(loaded.ok, 'the policy checks');
  return loaded.policy;
}

/** An engine computes the features that a rule reads. */
function readerOf(shared: readonly Feature[]): PolicyFile {
  const when = shared.map(({ name }) => `has(${name})`).join(' && ');
  return {
    path: 'reader.yaml',
    text: `rules:\n  - { reason: ${readerReason}, name: Reads all, on: [operation], when: ${when}, mode: shadow, then: { action: 2, message: m } }\n`,
  };
}
