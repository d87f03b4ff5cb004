import type { EventKind } from '@ringfence/contract';
import { definitions } from '../compile/definitions.ts';
import { factDefinitions, outcomeFactDefinitions } from '../facts/facts.ts';
import { type FeatureDefinition, featureDefinitions, featureDoc } from '../sections/feature-kinds.ts';
import { featureMembers } from '../sections/feature-members.ts';

/** A suggestion of an editor while a policy is written. Plain data that can be sent as JSON. */
export interface Completion {
  /** The text to insert: `order.amount`, `contains`. */
  readonly label: string;
  /**
   * A method is called on a value, after a dot. `featureKind` and `featureMember` are words of `features:`, not of
   * conditions; a function of the same name may exist as well.
   */
  readonly kind: 'fact' | 'featureKind' | 'featureMember' | 'function' | 'method';
  /** The type of a fact, the signature of a function, or the options of a kind of feature. */
  readonly detail: string;
  readonly doc: string;
  readonly example?: string;
  /** The type of value that a method belongs to; `list`, `map` and `any` accept more than one. */
  readonly receiver?: string;
  /** Events that can have the fact. */
  readonly on?: readonly EventKind[];
}

/**
 * Facts, words of features, then functions, from the tables that the checker uses. The caller adds the policy's own
 * features and lists.
 */
export function completions(): readonly Completion[] {
  const facts = [...factDefinitions, ...outcomeFactDefinitions].map(({ path, type, doc, on }): Completion => ({
    label: path,
    kind: 'fact',
    detail: type,
    doc,
    on: [...on],
  }));
  const calls = definitions.map((definition): Completion => {
    const { name, isMethod, signature, doc, example } = definition;
    const receiver = isMethod ? { receiver: signature.slice(0, signature.indexOf('.')) } : {};
    return { label: name, kind: isMethod ? 'method' : 'function', detail: signature, doc, example, ...receiver };
  });
  return [...facts, ...featureWords(), ...calls];
}

function featureWords(): readonly Completion[] {
  const kinds = featureDefinitions.map((definition): Completion => {
    const { kind, example } = definition;
    return { label: kind, kind: 'featureKind', detail: toldOf(definition), doc: featureDoc(definition), example };
  });
  const members = featureMembers.map(({ name, doc, example }): Completion => {
    const owners = featureDefinitions.filter(({ option }) => option === name).map(({ kind }) => kind);
    const detail = owners.length === 0 ? 'of a feature' : `of ${owners.join(', ')}`;
    return { label: name, kind: 'featureMember', detail, doc, example };
  });
  return [...kinds, ...members];
}

const about: Readonly<Record<FeatureDefinition['of'], string>> = {
  true: 'true',
  number: 'a number',
  value: 'a fact',
  'events or number': 'true or a number',
  feature: 'a feature',
};

/** `a number, halfLife, by`: the value of the kind, and the other fields. */
function toldOf({ of, span, option }: FeatureDefinition): string {
  const beside = [option, of === 'feature' ? undefined : 'by', span === 'over' ? 'over' : undefined];
  return [about[of], ...beside.filter((name) => name !== undefined)].join(', ');
}
