import { unknownPath } from '../compile/paths.ts';
import type { Item } from '../document/item.ts';
import {
  clientPaths,
  type FactDefinition,
  factDefinitions,
  featureFact,
  outcomeFactDefinitions,
  scorePath,
} from '../facts/facts.ts';
import type { FactType } from '../facts/fact-value.ts';
import type { FeatureKind } from '../policy.ts';
import { featureDefinition, featureKinds } from './feature-kinds.ts';

const numeric: ReadonlySet<FactType> = new Set(['int', 'double', 'decimal']);

/** The kind of a feature, and the fact that it reads. */
export interface Subject {
  readonly kind: FeatureKind;
  readonly of: FactDefinition | undefined;
}

/** `sum: order.amount`, `count: true`. */
export function readSubject(name: string, item: Item, fields: Partial<Record<FeatureKind, Item>>): Subject | undefined {
  const given = featureKinds.filter((kind) => fields[kind] !== undefined);
  const [kind] = given;
  const value = kind === undefined ? undefined : fields[kind];
  if (kind === undefined || value === undefined || given.length > 1) {
    const message = given.length > 1 ? `${name} is ${given.join(' and ')} at the same time` : `${name} has no kind`;
    return item.fail(message, `one of ${featureKinds.join(', ')}`);
  }
  const { of } = featureDefinition(kind);
  if (of === 'feature') return { kind, of: undefined };
  if (of === 'true') return value.choice(kind, ['true']) === undefined ? undefined : { kind, of: undefined };
  if (of === 'events or number' && value.word(kind, 'true, or a number such as order.amount') === 'true')
    return { kind, of: undefined };
  const fact = readFact(value, kind);
  return fact === undefined || !fits(value, kind, fact) ? undefined : { kind, of: fact };
}

/** Whether the kind accepts the fact; if not, it was reported. */
function fits(item: Item, kind: FeatureKind, fact: FactDefinition): boolean {
  const isOfValue = featureDefinition(kind).of === 'value';
  if (isOfValue ? fact.type === 'map' : !numeric.has(fact.type)) {
    item.fail(
      `${kind} does not work on ${fact.path}, which is a ${fact.type}`,
      isOfValue ? 'a fact with one value' : 'a number, such as order.amount',
    );
    return false;
  }
  if (kind === 'previous' && clientPaths.has(fact.path)) {
    item.fail(`previous does not work on ${fact.path}: clients' names are not stored`, `distinct: ${fact.path}`);
    return false;
  }
  return true;
}

const details = 'transaction.details';

export function readFact(item: Item, what: string): FactDefinition | undefined {
  const path = item.text(what, 128);
  if (path === undefined) return undefined;
  if (path === scorePath)
    return item.fail(`${path} is computed by the rules, after features are counted`, 'another fact');
  const fact = featureFact(path);
  if (fact !== undefined) return fact;
  if (path.startsWith(`${details}.`) || path.startsWith(`${details}[`))
    return item.fail(
      `a feature can't be kept by or computed from a detail: ${path} can be anything that a sender chooses`,
      `a member of the interface, such as transaction.type; conditions and where read ${details}["key"]`,
    );
  if (/[()[\]"'+*/%]|\s/.test(path))
    return item.fail(
      `a feature is kept by and computed from whole facts, and ${path} is an expression`,
      'a fact such as account.email, and the expression in where',
    );
  const { message, suggestion } = unknownPath(
    path,
    [...factDefinitions, ...outcomeFactDefinitions].map((known) => known.path),
  );
  return item.fail(message.replace(' or feature', ''), suggestion);
}
