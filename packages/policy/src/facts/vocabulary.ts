import type { DeclaredList, Name, Vocabulary } from '../compile/compiled.ts';
import {
  factDefinition,
  factDefinitions,
  featureFact,
  outcomeFact,
  outcomeFactDefinitions,
  scorePath,
} from './facts.ts';
import type { SlotTable } from './slots.ts';

/** The names that conditions of a policy can use. */
export interface Words {
  readonly slots: SlotTable;
  readonly lists: ReadonlyMap<string, DeclaredList>;
  /** Names of features and lists that did not check. */
  readonly broken: ReadonlySet<string>;
  /** Features and results of models by name, with the kinds of event on which they can have a value. */
  readonly features: ReadonlyMap<string, Name>;
}

/**
 * For `where` of features: facts and lists. If features could read features, they would need an order of computation.
 */
export function featureVocabulary(words: Words, featureNames: ReadonlySet<string>): Vocabulary {
  return {
    find: (path) => (path === scorePath ? undefined : featureFact(path)),
    paths: () =>
      [...factDefinitions, ...outcomeFactDefinitions].map((fact) => fact.path).filter((path) => path !== scorePath),
    refuses: (path) => {
      if (path === scorePath)
        return `${path} is computed by the rules, and features are counted before any rule is evaluated`;
      return featureNames.has(path)
        ? `${path} is a feature, but the where of a feature can read only facts`
        : undefined;
    },
    ...common(words),
  };
}

/** For rules and messages: facts, features and lists. */
export function ruleVocabulary(words: Words): Vocabulary {
  return {
    find: (path) => words.features.get(path) ?? factDefinition(path),
    paths: () => [...words.features.keys(), ...factDefinitions.map((fact) => fact.path)],
    refuses: (path) =>
      outcomeFact(path) === undefined
        ? undefined
        : `${path} is a fact of a reported outcome: a rule reads a feature that counts outcomes (on: [outcome])`,
    ...common(words),
  };
}

/** For inputs of models: facts, features and lists. */
export function modelVocabulary(words: Words): Vocabulary {
  const rules = ruleVocabulary(words);
  return {
    ...rules,
    find: (path) => (path === scorePath ? undefined : rules.find(path)),
    paths: () => [...rules.paths()].filter((path) => path !== scorePath),
    refuses: (path) =>
      path === scorePath ? `${path} is computed by the rules, after the models` : rules.refuses(path),
  };
}

function common(words: Words): Pick<Vocabulary, 'slotOf' | 'list' | 'listNames' | 'broken'> {
  return {
    slotOf: words.slots.use,
    broken: (name) => words.broken.has(name),
    list: (name) => words.lists.get(name),
    listNames: () => words.lists.keys(),
  };
}
