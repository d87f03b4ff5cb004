import { Compiler } from '../compile/compile.ts';
import { predicate } from '../compile/logic.ts';
import { declaredEntries } from '../document/declared-entries.ts';
import type { Entry, Item } from '../document/item.ts';
import { clientPaths, currencyOf, type FactDefinition, featureFact } from '../facts/facts.ts';
import { fromZero, shares } from '../facts/number-range.ts';
import type { Feature } from '../policy.ts';
import { featureVocabulary, type Words } from '../facts/vocabulary.ts';
import { readBy, readOn, readOver, readsOwnFacts, readWhere } from './feature-fields.ts';
import { countingKinds, featureDefinition, keptFor, shareKinds, typeOfFeature } from './feature-kinds.ts';
import { readOptions } from './feature-options.ts';
import { askedFact } from './feature-outcomes.ts';
import { readRatio } from './read-ratio.ts';
import { featureBounds, type FeatureFields, fieldNames, type ReadFeature } from './feature-shape.ts';
import { readSubject, type Subject } from './feature-subject.ts';
import { commonKinds } from './kinds.ts';
import { checkName } from './names.ts';

type FactWords = Pick<Words, 'slots' | 'lists'>;

/** `features:` of all files, by name. Names of features that don't check are added to `broken`. */
export function readFeatures(
  sections: readonly Item[],
  words: FactWords,
  broken: Set<string>,
): ReadonlyMap<string, ReadFeature> {
  const entries = declaredEntries(sections, 'features');
  const names = new Set(entries.map((entry) => entry.key));
  const vocabulary = featureVocabulary({ ...words, broken, features: new Map() }, names);
  const compiler = new Compiler(vocabulary);
  const features = new Map<string, ReadFeature>();
  const put = ({ key, keyItem }: Entry, feature: ReadFeature | undefined): void => {
    const earlier = features.get(key);
    if (earlier !== undefined)
      keyItem.fail(`the feature ${key} is declared twice: here and ${earlier.keyItem.spot}`, 'another name');
    else if (features.size >= featureBounds.features)
      keyItem.fail('there are too many features', `at most ${featureBounds.features}`);
    else if (checkName(key, keyItem) && feature !== undefined) features.set(key, feature);
    else broken.add(key);
  };
  const ratios: [Entry, FeatureFields][] = [];
  for (const entry of entries) {
    const fields = entry.value.fields('a feature', fieldNames);
    const subject = fields === undefined ? undefined : readSubject(entry.key, entry.value, fields);
    if (fields !== undefined && subject?.kind === 'ratio') ratios.push([entry, fields]);
    else put(entry, fields && readFeature(entry, { fields, subject }, { words, compiler }));
  }
  // Ratios are read last, because the features that they divide may be declared after them.
  const ratioNames = new Set(ratios.map(([{ key }]) => key));
  const known = {
    features,
    slots: words.slots,
    isRatio: (name: string): boolean => ratioNames.has(name),
    isBroken: (name: string): boolean => broken.has(name),
  };
  for (const [entry, fields] of ratios) put(entry, readRatio(entry, fields, known));
  return features;
}

interface Written {
  readonly fields: FeatureFields;
  readonly subject: Subject | undefined;
}

function readFeature(
  { key, keyItem, value }: Entry,
  { fields, subject }: Written,
  { words, compiler }: { readonly words: FactWords; readonly compiler: Compiler },
): ReadFeature | undefined {
  const by = fields.by === undefined ? value.fail(`${key} has no by`, 'by: client.id') : readBy(fields.by);
  const over = readOver(value, subject?.kind, fields.over);
  const where =
    fields.where === undefined ? { text: undefined, compiled: undefined } : readWhere(fields.where, compiler);
  const options = readOptions(value, fields, { kind: subject?.kind, overMs: over?.ms });
  if (subject === undefined || subject.kind === 'ratio') return undefined;
  if (by === undefined || over === undefined || where === undefined || options === undefined) return undefined;

  const { kind, of } = subject;
  if (of !== undefined && ofValues.has(kind) && by.some((fact) => isSame(fact.path, of.path)))
    fields.by?.warn(`${key} is kept per ${of.path}, so it only ever sees one value of it`, `by without ${of.path}`);
  const keeps = keptFor(kind, of?.type);
  const currency = currencyOfValues(subject);
  // Its numbers are kept apart by it, unless the entity already contains it.
  const perCurrency = currency === undefined || by.includes(currency) ? undefined : currency;
  const entity = [...by, ...(perCurrency === undefined ? [] : [perCurrency])];
  const needed = [...entity, ...(of === undefined ? [] : [of])];
  const on = readOn(keyItem, fields.on, [needed, where.compiled]);
  if (on === undefined) return undefined;
  if (on.has('outcome') && (keeps === 'fraudShare' || (kind === 'habit' && of?.source === 'outcome')))
    return value.fail(`${kind} compares events, and does not count outcomes`, 'count, sum, distinct or another kind');
  if (on.has('outcome') && options.excludesThis)
    return fields.excluding?.fail(`${key} counts outcomes, so no event is among them`, 'remove excluding');
  if (keeps === 'fraudShare' && !readsOwnFacts({ kind, by, where, on, lists: words.lists }, fields)) return undefined;

  const type = typeOfFeature(kind, of?.type);
  const { halfLifeMs } = options;
  const kept = [keeps, of?.path, by.map((fact) => fact.path), over.ms, where.text, [...on], perCurrency?.path];
  const range = shareKinds.has(kind) ? shares : countingKinds.has(kind) ? fromZero : undefined;
  const name = {
    path: key,
    type,
    on: commonKinds(entity.map((fact) => askedFact(fact).on)),
    ...(range === undefined ? {} : { range }),
    ...(currency === undefined ? {} : { currency: askedFact(currency).path }),
  };
  const deviation = halfLifeMs === undefined ? undefined : { ...name, path: `${key}.deviation` };
  const names: ReadFeature['names'] =
    deviation === undefined ? [name] : [{ ...name, deviation: deviation.path }, deviation];
  const feature: Feature = {
    name: key,
    fingerprint: JSON.stringify(halfLifeMs === undefined ? kept : [...kept, halfLifeMs]),
    kind,
    keeps,
    slot: words.slots.use(key),
    type,
    on,
    paths: names.map(({ path }) => path),
    of: of?.path,
    ofSlot: of === undefined ? undefined : words.slots.use(of.path),
    ofType: of?.type,
    bySlots: by.map((fact) => words.slots.use(fact.path)),
    by: by.map((fact) => fact.path),
    currencySlot: perCurrency === undefined ? undefined : words.slots.use(perCurrency.path),
    overMs: over.ms,
    where: where.compiled === undefined ? undefined : predicate(where.compiled),
    wherePaths: where.compiled?.reads ?? [],
    whereText: where.text,
    ...options,
    deviationSlot: deviation === undefined ? undefined : words.slots.use(deviation.path),
  };
  return { feature, whereCost: where.compiled?.cost ?? 0, keyItem, names };
}

/** Kinds that distinguish values. */
const ofValues: ReadonlySet<Feature['kind']> = new Set(['distinct', 'previous', 'topShare', 'habit']);

function isSame(path: string, other: string): boolean {
  return path === other || (clientPaths.has(path) && clientPaths.has(other));
}

/** The fact that has the currency of its values, if they are amounts of money. */
function currencyOfValues({ kind, of }: Subject): FactDefinition | undefined {
  if (of === undefined || featureDefinition(kind).ofMoney !== 'per currency') return undefined;
  return featureFact(currencyOf.get(of.path) ?? '');
}
