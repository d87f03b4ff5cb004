import { type PolicyError, type PolicyFile, searchPolicy } from '@ringfence/policy';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { Editor } from '../../editor/editor.tsx';

interface ConditionFieldProps {
  readonly text: string;
  /** The active policy: its features and lists may be used. */
  readonly files: readonly PolicyFile[];
  readonly onChange: (text: string) => void;
  readonly onSubmit: () => void;
}

/** A condition in the policy language, checked and completed while typing. */
export function ConditionField({ text, files, onChange, onSubmit }: ConditionFieldProps): ReactElement {
  const { t } = useTranslation();
  const names = featureNames(files);
  return (
    <div className="h-24 resize-y overflow-hidden rounded-md border border-line-strong">
      <Editor
        label={t('find.condition')}
        text={text}
        readOnly={false}
        onChange={onChange}
        check={(typed) => mistakesOf(files, typed)}
        ownNames={() => names}
        onSubmit={onSubmit}
      />
    </div>
  );
}

/** Errors of a condition with their positions; none for an empty one. */
export function mistakesOf(files: readonly PolicyFile[], condition: string): readonly PolicyError[] {
  if (condition.trim() === '') return [];
  const result = searchPolicy(files, condition);
  return result.ok ? [] : result.errors;
}

function featureNames(files: readonly PolicyFile[]): readonly string[] {
  const result = searchPolicy(files, 'true');
  return result.ok
    ? [...result.search.policy.features, ...result.search.policy.models].flatMap(({ paths }) => paths)
    : [];
}
