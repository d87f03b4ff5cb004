import type { DeclaredList, Name, Vocabulary } from '../compile/compiled.ts';
import { factDefinition, factDefinitions, scorePath } from './facts.ts';
import type { SlotTable } from './slots.ts';

/** What conditions of a policy may speak of. */
export interface Words {
  readonly slots: SlotTable;
  readonly lists: ReadonlyMap<string, DeclaredList>;
  /** Names of features and lists that did not check. */
  readonly broken: ReadonlySet<string>;
  /** Features by name, with the kinds of event on which they can have a value. */
  readonly features: ReadonlyMap<string, Name>;
}

/** For `where` of features: facts and lists. A feature that read another would be computed in an order of its own. */
export function featureVocabulary(words: Words, featureNames: ReadonlySet<string>): Vocabulary {
  return {
    find: (path) => (path === scorePath ? undefined : factDefinition(path)),
    paths: () => factDefinitions.map((fact) => fact.path).filter((path) => path !== scorePath),
    refuses: (path) => {
      if (path === scorePath) return `${path} is summed by rules, and features are counted before any rule is asked`;
      return featureNames.has(path) ? `${path} is a feature, and the where of a feature reads facts only` : undefined;
    },
    ...common(words),
  };
}

/** For rules and messages: facts, features and lists. */
export function ruleVocabulary(words: Words): Vocabulary {
  return {
    find: (path) => words.features.get(path) ?? factDefinition(path),
    paths: () => [...words.features.keys(), ...factDefinitions.map((fact) => fact.path)],
    refuses: () => undefined,
    ...common(words),
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
