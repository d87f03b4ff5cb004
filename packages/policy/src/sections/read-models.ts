import {
  costOf,
  inputsMax,
  type ModelArtifact,
  type ModelInput,
  mistakeText,
  Ensemble,
  readArtifact,
  sha256,
} from '@ringfence/models';
import { type Decimal, type EventKind, secondMs } from '@ringfence/contract';
import { nearest } from '../check/nearest.ts';
import { Compiler } from '../compile/compile.ts';
import type { Compiled, Name } from '../compile/compiled.ts';
import { predicate } from '../compile/logic.ts';
import { doubleOf } from '../compile/numbers.ts';
import { declaredEntries } from '../document/declared-entries.ts';
import type { Entry, Item } from '../document/item.ts';
import { printExpression } from '../expression/print.ts';
import { factDefinition } from '../facts/facts.ts';
import type { FactType } from '../facts/fact-value.ts';
import { fromZero, type NumberRange, permilles, shares } from '../facts/number-range.ts';
import { modelVocabulary, type Words } from '../facts/vocabulary.ts';
import type { Model, ModelTerm, PolicyFile, TrainedModel } from '../policy.ts';
import { kindNames, readKinds } from './kinds.ts';
import { languageMistake } from './language-tag.ts';
import { checkName } from './names.ts';
import { readControl } from './read-control.ts';

export const modelBounds = {
  /** Each has its own artifact, which every thread with the policy keeps in memory. */
  models: 10,
  /** Steps of all models of a policy together, for one event: two of the largest. */
  costMax: 10_000,
} as const;

/** A model, and the names that conditions use for it. */
export interface ReadModel {
  readonly model: Model;
  readonly names: readonly Name[];
  readonly keyItem: Item;
  /** The most questions that its trees ask about one event. */
  readonly steps: number;
  /** The most steps that it costs for one event, with its inputs. */
  readonly cost: number;
}

/** `models:` of all files, by name. The results of models that don't check are added to `broken`. */
export function readModels(
  sections: readonly Item[],
  artifacts: readonly PolicyFile[],
  words: Words & { readonly broken: Set<string> },
): ReadonlyMap<string, ReadModel> {
  const files = new Map(artifacts.map((file) => [file.path, file]));
  const compiler = new Compiler(modelVocabulary(words));
  const models = new Map<string, ReadModel>();
  for (const entry of declaredEntries(sections, 'models')) {
    const { key, keyItem } = entry;
    const earlier = models.get(key);
    const model = checkName(key, keyItem) ? readModel(entry, { files, compiler, words }) : undefined;
    if (earlier !== undefined)
      keyItem.fail(`the model ${key} is declared twice: here and ${earlier.keyItem.spot}`, 'another name');
    else if (models.size >= modelBounds.models)
      keyItem.fail('there are too many models', `at most ${modelBounds.models}`);
    else if (model !== undefined) models.set(key, model);
    else for (const path of resultsOf(key)) words.broken.add(path);
  }
  const steps = [...models.values()].reduce((sum, { steps: own }) => sum + own, 0);
  if (steps > modelBounds.costMax)
    sections[0]?.fail(
      `the models take ${steps} steps together`,
      `at most ${modelBounds.costMax}: fewer or smaller trees`,
    );
  return models;
}

const fieldNames = ['description', 'on', 'where', 'artifact', 'sha256', 'retrain', 'inputs', 'control'] as const;
type Fields = Partial<Record<(typeof fieldNames)[number], Item>>;
const descriptionLengthMax = 2_000;
const pathLengthMax = 200;

interface ModelContext {
  readonly files: ReadonlyMap<string, PolicyFile>;
  readonly compiler: Compiler;
  readonly words: Words;
}

function readModel({ key, keyItem, value }: Entry, context: ModelContext): ReadModel | undefined {
  const fields: Fields | undefined = value.fields('a model', fieldNames);
  if (fields === undefined) return undefined;
  const { compiler, words } = context;
  const retrain = fields.retrain?.word('retrain', 'weekly');
  if (retrain !== undefined && retrain !== 'weekly')
    return fields.retrain!.fail(`retrain is "${retrain}"`, 'weekly, or leave it out');
  fields.description?.text('description', descriptionLengthMax);
  const on = value.required(fields.on, ['the model has no on', 'on: [operation]'], readKinds);
  const where =
    fields.where === undefined ? { text: undefined, compiled: undefined } : readWhere(fields.where, compiler);
  const isTrained = fields.artifact !== undefined || fields.sha256 !== undefined;
  const file = isTrained ? readFile(value, fields, context) : untrained;
  if (fields.inputs === undefined) value.fail('the model has no inputs', 'inputs: { amount: double(order.amount) }');
  const inputs =
    file === undefined || fields.inputs === undefined
      ? undefined
      : readInputs(fields.inputs, file.content?.inputs, compiler);
  if (on === undefined || where === undefined || file === undefined || inputs === undefined) return undefined;
  const control = fields.control && readControl(fields.control, on, words);
  const compiled = [
    ...inputs.map((input) => input.compiled),
    ...(where.compiled === undefined ? [] : [where.compiled]),
  ];
  if (!canHave(fields.on!, on, { compiled, words })) return undefined;
  if (file.content === undefined)
    keyItem.warn(`${key} is not trained: its results are missing`, `ringfence model train ${key}, or an artifact`);
  const names = resultsOf(key, file.content).map((path): Name => {
    const result = resultOf(path);
    return { path, on, type: typeOfResult(path), range: ranges[result] };
  });
  const slotOf = (result: Result): number => words.slots.use(`model.${key}.${result}`);
  const model: Model = {
    name: key,
    on,
    where: where.compiled === undefined ? undefined : predicate(where.compiled),
    whereText: where.text,
    inputs: inputs.map(({ term }) => term),
    trained: file.content && trainedOf(file),
    paths: names.map(({ path }) => path),
    slots: { p: slotOf('p'), score: slotOf('score'), missing: slotOf('missing') },
    reads: [...new Set(compiled.flatMap(({ reads }) => reads))],
    retrain,
    control,
  };
  const steps = file.content === undefined ? 0 : costOf(file.content);
  const cost = steps + compiled.reduce((sum, part) => sum + part.cost, 0);
  return { model, keyItem, steps, cost, names };
}

/** Its probability; its score, 0 to 1000: the share of legitimate events below; the number of its missing inputs. */
const types = { p: 'double', score: 'decimal', missing: 'int' } as const satisfies Readonly<Record<string, FactType>>;
const ranges: Readonly<Record<Result, NumberRange>> = { p: shares, score: permilles, missing: fromZero };
type Result = keyof typeof types;
const results = Object.keys(types) as readonly Result[];

/** @param artifact absent: of a model that did not check */
function resultsOf(name: string, artifact?: ModelArtifact): readonly string[] {
  const known = results.filter(
    (result) => artifact === undefined || result !== 'score' || artifact.scores !== undefined,
  );
  return known.map((result) => `model.${name}.${result}`);
}

function resultOf(path: string): Result {
  return path.slice(path.lastIndexOf('.') + 1) as Result;
}

/** The type of a model's result, by its path. */
export function typeOfResult(path: string): FactType {
  return types[resultOf(path)];
}

/** Its file, with what it contains. */
interface ArtifactFile {
  readonly path: string;
  readonly hash: string;
  readonly content: ModelArtifact;
}

/** A model that names no file. */
const untrained = { content: undefined };

function trainedOf({ path, hash, content }: ArtifactFile): TrainedModel {
  return { artifact: path, sha256: hash, content, ensemble: new Ensemble(content), scores: content.scores };
}

function readFile(value: Item, fields: Fields, { files }: ModelContext): ArtifactFile | undefined {
  const { artifact: item, sha256: hashItem } = fields;
  if (item === undefined) return value.fail('the model has a SHA-256 and no artifact', 'artifact: models/name.json');
  const path = item.text('artifact', pathLengthMax);
  if (path === undefined) return undefined;
  const file = files.get(path);
  if (file === undefined)
    return item.fail(`there is no file ${path}`, nearest(path, files.keys()) ?? 'a .json file in the policy folder');
  const hash = sha256(file.text);
  if (hashItem === undefined) return item.fail(`${path} may be exchanged without notice`, `sha256: "${hash}"`);
  const given = hashItem.word('sha256', `"${hash}"`);
  if (given === undefined) return undefined;
  if (given !== hash)
    return hashItem.fail(`${path} has another SHA-256`, `"${hash}", if it is the file that was meant`);
  const read = readArtifact(file.text);
  if (read.ok) return { path, hash, content: read.value };
  for (const mistake of read.mistakes) item.fail(`${path}: ${mistakeText(mistake)}`);
  return undefined;
}

function readWhere(item: Item, compiler: Compiler): { readonly text: string; readonly compiled: Compiled } | undefined {
  const expression = item.expression('where');
  const compiled = expression && compiler.condition(expression.node, expression.report);
  return compiled && { text: printExpression(expression.node), compiled };
}

interface ReadInput {
  readonly term: ModelTerm;
  readonly compiled: Compiled;
}

/**
 * An expression for each input of the artifact, in its order, and no other.
 *
 * @param wanted absent: of a model that is not trained, which has the inputs that are written, in their order
 */
function readInputs(
  item: Item,
  wanted: readonly ModelInput[] | undefined,
  compiler: Compiler,
): readonly ReadInput[] | undefined {
  const entries = item.entries('inputs');
  if (entries === undefined) return undefined;
  if (wanted === undefined) return readOwnInputs(item, entries, compiler);
  const names = wanted.map(({ name }) => name);
  const given = new Map(entries.map((entry) => [entry.key, entry]));
  const foreign = entries.filter(({ key }) => !names.includes(key));
  for (const { key, keyItem } of foreign)
    keyItem.fail(`the model has no input ${key}`, nearest(key, names) ?? `one of ${names.join(', ')}`);
  const absent = names.filter((name) => !given.has(name));
  for (const name of absent) item.fail(`the model reads ${name}, which has no value here`, `${name}: an expression`);
  const inputs = wanted.flatMap((input) => {
    const entry = given.get(input.name);
    return entry === undefined ? [] : (readInput(entry.value, input, compiler) ?? []);
  });
  return foreign.length > 0 || inputs.length < wanted.length ? undefined : inputs;
}

function readOwnInputs(item: Item, entries: readonly Entry[], compiler: Compiler): readonly ReadInput[] | undefined {
  if (entries.length === 0 || entries.length > inputsMax)
    return item.fail(`the model has ${entries.length} inputs`, `1 to ${inputsMax}`);
  const own = entries.flatMap(({ key, keyItem, value }) =>
    checkName(key, keyItem) ? (readInput(value, { name: key }, compiler) ?? []) : [],
  );
  return own.length < entries.length ? undefined : own;
}

/** @param wanted without a kind: that of the expression */
function readInput(
  item: Item,
  wanted: ModelInput | Pick<ModelInput, 'name'>,
  compiler: Compiler,
): ReadInput | undefined {
  const { name } = wanted;
  const worded = readWording(item, name);
  if (worded === undefined) return undefined;
  const { value, wording } = worded;
  const expression = value.expression(name);
  const compiled = expression && compiler.value(expression.node, expression.report);
  if (compiled === undefined) return undefined;
  if (compiled.type === 'string' && !isEnumerated(compiled)) {
    const message = `${name} reads ${compiled.reads.join(', ')}, which can identify a person or be any text`;
    return value.fail(message, 'a number, a truth value, or a fact with few values, such as ip.country');
  }
  const input = 'kind' in wanted ? wanted : { name, ...kindOf(compiled) };
  const read = readerOf(compiled, input);
  if (read !== undefined) {
    const text = printExpression(expression!.node);
    return { term: { ...input, text, type: compiled.type, wording, read }, compiled };
  }
  return value.fail(`${name} is a ${compiled.type}, and the model expects a ${input.kind}`, expected[input.kind]);
}

/** A few words in a sentence. */
const wordingLengthMax = 200;

interface WordedInput {
  readonly value: Item;
  readonly wording: ModelTerm['wording'];
}

/** `name: expression`, or `name: { value: expression, text: { en: words, es: words } }`. */
function readWording(item: Item, name: string): WordedInput | undefined {
  if (!item.isMapping) return { value: item, wording: {} };
  const { value, text } = item.fields('an input', ['value', 'text']) ?? {};
  if (value === undefined) return item.fail(`the input ${name} has no value`, 'value: double(order.amount)');
  if (text === undefined) return { value, wording: {} };
  if (!text.isMapping) {
    const words = text.text('text', wordingLengthMax);
    return words === undefined ? undefined : { value, wording: { en: words } };
  }
  const wording: Record<string, string> = {};
  for (const entry of text.entries('text') ?? []) {
    const mistake = languageMistake(entry.key);
    if (mistake !== undefined) return entry.keyItem.fail(`${entry.key} is not a language tag`, mistake);
    const words = entry.value.text('text', wordingLengthMax);
    if (words === undefined) return undefined;
    wording[entry.key] = words;
  }
  return { value, wording };
}

/** The kind of input that an expression can be. Of a code, the texts are not known: compare it with some. */
function kindOf({ type, reads }: Compiled): Pick<ModelInput, 'kind' | 'texts'> {
  if (type === 'bool') return { kind: 'boolean' };
  const values = type === 'string' ? factDefinition(reads[0] ?? '')?.values : undefined;
  return values === undefined ? { kind: 'number' } : { kind: 'category', texts: values };
}

const expected: Readonly<Record<ModelInput['kind'], string>> = {
  number: 'a number, such as double(order.amount); a duration counts in seconds',
  boolean: 'a condition, such as device.isNew',
  category: 'a fact with few values, such as ip.country',
};

/** Texts that say nothing of one person: facts with known values, and codes of countries and currencies. */
function isEnumerated({ slot, reads }: Compiled): boolean {
  const fact = factDefinition(reads[0] ?? '');
  return slot !== undefined && fact !== undefined && (fact.values !== undefined || codes.has(fact.path));
}

const codes: ReadonlySet<string> = new Set(['order.currency', 'ip.country', 'session.country']);

/** How the value becomes a number; `undefined` if the model cannot read values of this type. */
function readerOf({ type, run }: Compiled, { kind, texts = [] }: ModelInput): ModelTerm['read'] | undefined {
  if (kind === 'boolean') {
    if (type !== 'bool') return undefined;
    return (facts) => {
      const value = run(facts);
      return value === undefined ? Number.NaN : Number(value);
    };
  }
  if (kind === 'category') {
    if (type !== 'string') return undefined;
    const places = new Map(texts.map((text, place) => [text, place]));
    return (facts) => places.get(run(facts) as string) ?? Number.NaN;
  }
  if (type === 'decimal') {
    return (facts) => {
      const value = run(facts);
      return value === undefined ? Number.NaN : doubleOf(value as Decimal);
    };
  }
  const unit = numericUnits[type];
  if (unit === undefined) return undefined;
  return (facts) => {
    const value = run(facts);
    return value === undefined ? Number.NaN : Number(value) / unit;
  };
}

/** What a value is divided by. */
const numericUnits: Readonly<Partial<Record<string, number>>> = { int: 1, uint: 1, double: 1, duration: secondMs };

/** Whether events of its kinds can have what it reads; otherwise it was reported. */
function canHave(
  item: Item,
  on: ReadonlySet<EventKind>,
  { compiled, words }: { readonly compiled: readonly Compiled[]; readonly words: Words },
): boolean {
  const vocabulary = modelVocabulary(words);
  for (const path of compiled.flatMap(({ needs }) => needs)) {
    const name = vocabulary.find(path);
    if (name === undefined || [...on].some((kind) => name.on.has(kind))) continue;
    item.fail(`${kindNames(on)} never have ${path}`, `on: [${[...name.on].join(', ')}]`);
    return false;
  }
  return true;
}
