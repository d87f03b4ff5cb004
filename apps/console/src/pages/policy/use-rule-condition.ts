import { type PolicyFile, printExpression, readCondition } from '@ringfence/policy';
import { useEffect, useMemo, useState } from 'react';
import { type BuilderCondition, printBuilder, readBuilder } from './builder-condition.ts';
import { type BuilderWords, builderWords, withQuotes } from './builder-words.ts';
import {
  type ConditionMistakes,
  mistakesOfRows,
  mistakesOfText,
  noMistakes,
  unreadableRows,
} from './condition-mistakes.ts';
import { firstRow } from './condition-rows.tsx';
import { withFiles } from './draft-files.ts';
import { checkDelayMs } from './use-written-problem.ts';

/** A condition in rows, or as text. */
export type Written =
  | { readonly as: 'rows'; readonly condition: BuilderCondition }
  | { readonly as: 'text'; readonly text: string };

/** The condition of a rule while it is built, with the features that are added for it. */
export interface RuleCondition {
  readonly written: Written;
  readonly change: (written: Written) => void;
  /** The files of the draft, with the new features. */
  readonly files: readonly PolicyFile[];
  /** The files that new features were added to. */
  readonly featureFiles: readonly PolicyFile[];
  readonly addFeature: (name: string, file: PolicyFile) => void;
  readonly words: BuilderWords;
  /** In the policy language. */
  readonly text: string;
  readonly mistakes: ConditionMistakes;
  /** Whether there is a condition without a known error. */
  readonly isReady: boolean;
  /** Whether the compiler has checked it since the last change. */
  readonly isChecked: boolean;
}

/** @param begun the condition to begin with; in rows if it fits into them */
export function useRuleCondition(draft: readonly PolicyFile[], begun?: string): RuleCondition {
  const [written, change] = useState(() => begin(begun));
  const [featureFiles, setFeatureFiles] = useState<readonly PolicyFile[]>([]);
  const files = useMemo(() => withFiles(draft, featureFiles), [draft, featureFiles]);
  const words = useMemo(() => builderWords(files), [files]);
  const quoted = useMemo(
    () => (written.as === 'rows' ? { ...written, condition: withQuotes(written.condition, words) } : written),
    [written, words],
  );
  const text = quoted.as === 'rows' ? printBuilder(quoted.condition).text : onOneLine(quoted.text);
  const { mistakes, isChecked } = useMistakes(quoted, files, words);
  return {
    written,
    change,
    files,
    featureFiles,
    addFeature: (name, file) => {
      setFeatureFiles((before) => withFiles(before, [file]));
      if (written.as !== 'rows') return;
      const { joined, parts } = written.condition;
      change({ as: 'rows', condition: { joined, parts: [...parts, { fact: name, operator: '>', value: '0' }] } });
    },
    words,
    text,
    mistakes,
    isReady: text !== '' && mistakes.rows.size + mistakes.others.length === 0,
    isChecked,
  };
}

function begin(text: string | undefined): Written {
  if (text === undefined) return { as: 'rows', condition: { joined: 'all', parts: [firstRow] } };
  const condition = readBuilder(text);
  return condition === undefined ? { as: 'text', text } : { as: 'rows', condition };
}

/** In canonical form; as it is while it cannot be read. */
function onOneLine(text: string): string {
  const node = text.trim() === '' ? undefined : readCondition(text);
  return node === undefined ? text.trim() : printExpression(node);
}

/** Errors of the condition. Rows that cannot be read are found at once, the others after a short rest. */
function useMistakes(
  written: Written,
  files: readonly PolicyFile[],
  words: BuilderWords,
): Pick<RuleCondition, 'mistakes' | 'isChecked'> {
  const [checked, setChecked] = useState<{ readonly of: Written; readonly mistakes: ConditionMistakes }>();
  useEffect(() => {
    const check = (): void => setChecked({ of: written, mistakes: checkNow(written, files, words) });
    const timer = setTimeout(check, checkDelayMs);
    return () => clearTimeout(timer);
  }, [written, files, words]);
  if (checked?.of === written) return { mistakes: checked.mistakes, isChecked: true };
  return { mistakes: written.as === 'rows' ? unreadableRows(written.condition) : noMistakes, isChecked: false };
}

function checkNow(written: Written, files: readonly PolicyFile[], words: BuilderWords): ConditionMistakes {
  if (written.as === 'rows') return mistakesOfRows(files, written.condition, words);
  return written.text.trim() === '' ? noMistakes : { rows: new Map(), others: mistakesOfText(files, written.text) };
}

/** The condition in rows, if it fits; `undefined` for a text that does not. */
export function inRows(text: string): Written | undefined {
  const condition = readBuilder(text);
  return condition === undefined ? undefined : { as: 'rows', condition };
}
